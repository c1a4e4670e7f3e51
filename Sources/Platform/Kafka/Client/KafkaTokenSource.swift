/// A SASL OAUTHBEARER token (RFC 7628).
public struct KafkaToken: Sendable {
    /// The token, which is secret and never printed.
    public let value: String
    /// The principal that the client sends. Brokers use the one in the token.
    public let principal: String
    /// The expiry in milliseconds since 1970. The token is renewed after four fifths of its lifetime.
    public let expiry: Int64
    /// SASL extensions, such as `logicalCluster`.
    public let extensions: [String: String]

    /// Creates a token with these properties.
    public init(value: String, principal: String, expiry: Int64, extensions: [String: String] = [:]) {
        self.value = value
        self.principal = principal
        self.expiry = expiry
        self.extensions = extensions
    }
}

/// A failure to obtain a token.
public struct KafkaTokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The prefix of the message if the provider refused to issue a token. It marks the refusal in librdkafka's error.
    static let refusal = "refused: "

    /// A human-readable description, without secrets.
    public let message: String
    /// Whether the identity provider rejected the request. If so, a retry is pointless.
    public let isRefusal: Bool

    /// Creates a failure with this text.
    public init(_ message: String, isRefusal: Bool = false) {
        self.message = message
        self.isRefusal = isRefusal
    }

    public var description: String { (isRefusal ? Self.refusal : "") + message }
}

/// A source of SASL OAUTHBEARER tokens for a process's clients. Two sources are equal if they are the same object.
public final class KafkaTokenSource: Sendable, Hashable {
    private let fetch: @Sendable () async throws(KafkaTokenError) -> KafkaToken

    /// - Parameter fetch: requests a new token and must return within a minute. Each client calls it at startup,
    ///   shortly before its token expires, and ten seconds after a failure.
    public init(_ fetch: @escaping @Sendable () async throws(KafkaTokenError) -> KafkaToken) { self.fetch = fetch }

    /// Requests a new token.
    public func token() async throws(KafkaTokenError) -> KafkaToken { try await fetch() }

    public static func == (left: KafkaTokenSource, right: KafkaTokenSource) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
