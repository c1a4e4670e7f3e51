import Cryptography
import Foundation
import HTTPServer
import Primitives
import Synchronization
import Testing

/// An identity provider. It issues tokens to one client (OAuth 2.0 client credentials), and publishes the key with
/// which brokers verify them.
final class TokenEndpoint: Sendable {
    static let issuer = "https://issuer.test"
    static let clientId = "sluice"
    static let secret = "token secret+/="

    /// The subject of the tokens.
    private let subject: String
    let key: PrivateKey
    private let server: HTTPServer
    private let given = Mutex(0)

    var url: String { "http://127.0.0.1:\(server.port())/token" }
    /// Number of issued tokens.
    var count: Int { given.withLock { $0 } }

    /// - Parameters:
    ///   - subject: the user that brokers see.
    ///   - life: validity of a token in seconds.
    ///   - key: the signing key; nil creates a new one.
    init(subject: String, life: Int = 300, key: PrivateKey? = nil) throws {
        self.subject = subject
        self.key = if let key { key } else { try PrivateKey.generate(.p256) }
        let box = Box()
        server = HTTPServer(listeners: [
            Listener(
                name: "tokens", host: "127.0.0.1", port: 0, limits: .public, admit: { _ in .body(limit: 10_000) },
                handle: { request, exchange in
                    exchange.respond(box.endpoint.withLock { $0?.answer(request, life) } ?? .text("", status: 500))
                })
        ])
        try server.start()
        box.endpoint.withLock { $0 = self }
    }

    private final class Box: Sendable {
        let endpoint = Mutex<TokenEndpoint?>(nil)
    }

    func close() async { await server.drain(within: .zero) }

    private func answer(_ request: HTTPRequest, _ life: Int) -> HTTPResponse {
        let pair = "\(Self.clientId):\(Self.secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        let expected = "Basic " + Data(pair.utf8).base64EncodedString()
        let form = String(decoding: request.body, as: UTF8.self)
        guard request.head.header("authorization") == expected, form.contains("grant_type=client_credentials") else {
            return .json(#"{"error":"invalid_client","error_description":"unknown client or wrong secret"}"#, 401)
        }
        guard let token = try? token(life) else { return .text("", status: 500) }
        given.withLock { $0 += 1 }
        return .json(#"{"access_token":"\#(token)","token_type":"Bearer","expires_in":\#(life)}"#, 200)
    }

    private func token(_ life: Int) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let header = #"{"alg":"ES256","kid":"k1","typ":"JWT"}"#
        let claims =
            #"{"sub":"\#(subject)","iss":"\#(Self.issuer)","aud":"kafka","iat":\#(now),"exp":\#(now + life)}"#
        let signed = [header, claims].map { Self.base64URL(Array($0.utf8)) }.joined(separator: ".")
        return "\(signed).\(Self.base64URL(try key.es256Signature(of: Array(signed.utf8))))"
    }

    /// Returns the key as brokers expect it (RFC 7517).
    func keySet() throws -> String {
        let point = try #require(key.publicKey).uncompressedPoint
        try #require(point.count == 65)
        let (x, y) = (Self.base64URL(Array(point[1..<33])), Self.base64URL(Array(point[33...])))
        return #"{"keys":[{"kty":"EC","crv":"P-256","kid":"k1","use":"sig","alg":"ES256","x":"\#(x)","y":"\#(y)"}]}"#
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        String(decoding: Base64URL.encode(bytes), as: UTF8.self)
    }
}

extension HTTPResponse {
    fileprivate static func json(_ text: String, _ status: Int) -> HTTPResponse {
        HTTPResponse(status: status, reason: "ok", contentType: "application/json", body: Array(text.utf8))
    }

    fileprivate static func text(_ text: String, status: Int) -> HTTPResponse {
        HTTPResponse(status: status, reason: "ok", contentType: "text/plain", body: Array(text.utf8))
    }
}
