/// A token of SASL OAUTHBEARER, as RFC 7628 has it.
public struct KafkaToken: Sendable {
    /// The token. Secret: never printed.
    public let value: String
    /// The name that the client gives for itself; brokers take theirs from the token.
    public let principal: String
    /// When it ends, in milliseconds since 1970. It is renewed after four fifths of its life.
    public let expiry: Int64
    /// SASL extensions, such as `logicalCluster`.
    public let extensions: [String: String]

    /// A token with these properties.
    public init(value: String, principal: String, expiry: Int64, extensions: [String: String] = [:]) {
        self.value = value
        self.principal = principal
        self.expiry = expiry
        self.extensions = extensions
    }
}

/// Why there is no token.
public struct KafkaTokenFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The beginning of a refusal's text, by which it is known again in librdkafka's errors.
    static let refusal = "refused: "

    /// For people; holds no secret.
    public let message: String
    /// The identity provider has looked at the request and refuses it: another attempt changes nothing.
    public let isRefusal: Bool

    /// A failure with this text.
    public init(_ message: String, isRefusal: Bool = false) {
        self.message = message
        self.isRefusal = isRefusal
    }

    public var description: String { (isRefusal ? Self.refusal : "") + message }
}

/// Where the clients of a process get their tokens for SASL OAUTHBEARER. Two sources are equal when they are the same.
public final class KafkaTokenSource: Sendable, Hashable {
    private let fetch: @Sendable () async throws(KafkaTokenFailure) -> KafkaToken

    /// - Parameter fetch: asks for a new token; called at once by each client, then when its token nears its end, and ten
    ///   seconds after a failure. Must end within a minute.
    public init(_ fetch: @escaping @Sendable () async throws(KafkaTokenFailure) -> KafkaToken) { self.fetch = fetch }

    /// A new token.
    public func token() async throws(KafkaTokenFailure) -> KafkaToken { try await fetch() }

    public static func == (left: KafkaTokenSource, right: KafkaTokenSource) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
