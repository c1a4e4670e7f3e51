import AppStoreModel
import Cryptography
import JSON
import Primitives

/// The parts of a compact JWS, for modification and reassembly.
struct JWSParts {
    /// The JSON text of the header.
    var header: [UInt8]
    var payload: [UInt8]
    var signature: [UInt8]

    init?(body: [UInt8]) { self.init(jws: SignedMaterial.jws(of: body)) }

    init?(jws: [UInt8]) {
        let parts = jws.split(separator: UInt8(ascii: ".")).compactMap { try? Base64URL.decode(Array($0)) }
        guard parts.count == 3 else { return nil }
        (header, payload, signature) = (parts[0], parts[1], parts[2])
    }

    var segments: [String] { [header, payload, signature].map(Self.base64url) }

    var jws: String { segments.joined(separator: ".") }

    var body: [UInt8] { Self.body(jws) }

    static func body(_ jws: String) -> [UInt8] { Array(#"{"signedPayload":"\#(jws)"}"#.utf8) }

    /// The nested JWS texts of the payload.
    var nested: [JWSParts] {
        guard let document = try? JSONDocument.object(payload) else { return [] }
        let envelope = NotificationEnvelope(document)
        return [envelope.signedTransactionInfo, envelope.signedRenewalInfo, envelope.signedAppTransactionInfo]
            .compactMap { $0.value.flatMap { JWSParts(jws: Array(payload[$0])) } }
    }

    /// The certificates in `x5c`, as DER.
    var certificates: [[UInt8]] {
        get {
            guard let entries = (try? JSONValue(json: header))?.object?["x5c"]?.array else { return [] }
            return entries.compactMap { $0.string.flatMap { try? Base64.decode(Array($0.utf8)) } }
        }
        set { setHeader("x5c", .array(newValue.map { .string(Self.base64($0)) })) }
    }

    /// Sets a member of the header; nil removes it.
    mutating func setHeader(_ name: String, _ value: JSONValue?) {
        guard var object = (try? JSONValue(json: header))?.object else { return }
        object[name] = value
        header = JSONValue.object(object).json
    }

    static func base64url(_ bytes: [UInt8]) -> String {
        String(decoding: Base64URL.encode(bytes), as: UTF8.self)
    }

    static func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes), as: UTF8.self) }
}
