package import Configuration
internal import HTTPClient
internal import JSON
package import Kafka
package import ObjectStorage
internal import Primitives

/// Requests tokens from an identity provider with OAuth 2.0 client credentials (RFC 6749 section 4.4).
package struct ClientCredentials: Sendable {
    /// The token endpoint.
    package var endpoint: String
    package var clientId: String
    /// Reads the secret; called for each token, so that a new secret takes effect without a restart.
    package var secret: @Sendable () throws(KafkaTokenError) -> Secret
    package var scope: String?
    /// The `audience` parameter, which some providers require.
    package var audience: String?
    /// SASL extensions.
    package var extensions: [String: String]
    private let requests: CredentialRequests

    package init(
        endpoint: String, clientId: String, secret: @escaping @Sendable () throws(KafkaTokenError) -> Secret,
        scope: String? = nil, audience: String? = nil, extensions: [String: String] = [:], requests: CredentialRequests
    ) {
        self.endpoint = endpoint
        self.clientId = clientId
        self.secret = secret
        self.scope = scope
        self.audience = audience
        self.extensions = extensions
        self.requests = requests
    }

    /// The assumed lifetime, in seconds, of a token without an expiry.
    private static let assumedLife: Int64 = 300

    /// Requests a new token.
    package func token() async throws(KafkaTokenError) -> KafkaToken {
        let body: [UInt8]
        let request = try self.request()
        do throws(CredentialError) {
            body = try await requests.answer(from: endpoint, request, problem: Self.problem)
        } catch { throw KafkaTokenError(error) }
        guard let answer = try? JSONDocument.object(body).root, let value = answer["access_token"]?.string,
            !value.isEmpty
        else { throw KafkaTokenError("\(endpoint) returned no access_token") }
        let claims = Self.claims(of: value)
        return KafkaToken(
            value: value, principal: claims?.subject ?? clientId,
            expiry: expiry(answer["expires_in"]?.flooredInteger, claims?.expiry), extensions: extensions)
    }

    /// Returns the expiry in milliseconds since 1970: the earlier of the response's `expires_in` and the token's `exp`,
    /// both in seconds.
    private func expiry(_ life: Int64?, _ claimed: Int64?) -> Int64 {
        let now = requests.now()
        let ends = [life, claimed.map { ($0.clampedMilliseconds - now) / 1000 }].compactMap { $0 }
        return now + min(max(1, ends.min() ?? Self.assumedLife), 10 * 365 * 86_400) * 1000
    }

    /// Creates the request. The client id and the secret are form-encoded in the `Authorization` header (RFC 6749
    /// section 2.3.1).
    private func request() throws(KafkaTokenError) -> HTTPClientRequest {
        var parameters = [(name: "grant_type", value: "client_credentials")]
        if let scope { parameters.append((name: "scope", value: scope)) }
        if let audience { parameters.append((name: "audience", value: audience)) }
        let secret = String(decoding: try secret().revealedBytes, as: UTF8.self)
        let pair = "\(CredentialRequests.encoded(clientId)):\(CredentialRequests.encoded(secret))"
        return HTTPClientRequest(
            method: "POST", url: endpoint,
            headers: [
                (name: "Content-Type", value: "application/x-www-form-urlencoded"),
                (name: "Accept", value: "application/json"),
                (
                    name: "Authorization",
                    value: "Basic " + String(decoding: Base64.encode(Array(pair.utf8)), as: UTF8.self)
                ),
            ], body: CredentialRequests.form(parameters))
    }

    /// Returns the error reported by a response (RFC 6749 section 5.2).
    private static func problem(_ body: [UInt8]) -> String? {
        guard let answer = try? JSONDocument.object(body).root, let code = answer["error"]?.string else { return nil }
        return answer["error_description"]?.string.map { "\(code): \($0)" } ?? code
    }

    /// Returns a token's claims if the token is a JWT. The token is not verified here, because the brokers verify it.
    private static func claims(of token: String) -> (subject: String?, expiry: Int64?)? {
        let segments = token.split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3, let bytes = try? Base64URL.decode(Array(segments[1].utf8)),
            let claims = try? JSONDocument.object(bytes).root
        else { return nil }
        return (claims["sub"]?.string.flatMap { $0.isEmpty ? nil : $0 }, claims["exp"]?.flooredInteger)
    }
}

extension Int64 {
    /// Converts seconds to milliseconds.
    fileprivate var clampedMilliseconds: Int64 {
        let (product, isOver) = multipliedReportingOverflow(by: 1000)
        return isOver ? (self < 0 ? 0 : .max / 2) : Swift.max(0, product)
    }
}

extension KafkaTokenError {
    /// Creates a token failure from a failure to obtain credentials.
    init(_ failure: CredentialError) { self.init(failure.message, isRefusal: failure.isRefusal) }
}
