/// A connection problem between a client and its brokers, identified from librdkafka's errors.
public struct KafkaTrouble: Hashable, Sendable, CustomStringConvertible {
    /// The kind of problem.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The brokers reject the user's password or token.
        case credentials
        /// The brokers reject SCRAM authentication by librdkafka versions before 2.6.1. The password may be wrong, but
        /// Kafka 4 also rejects correct passwords, because librdkafka reuses its nonce (librdkafka issue 4895).
        case repeatedNonce = "repeated-nonce"
        /// The listener does not offer the SASL mechanism.
        case mechanism
        /// The identity provider is unreachable or its response is invalid.
        case token
        /// The identity provider refuses to issue a token.
        case tokenRefused = "token-refused"
        /// The issuer of the brokers' certificate is not trusted.
        case untrustedCertificate = "untrusted-certificate"
        case expiredCertificate = "expired-certificate"
        case futureCertificate = "future-certificate"
        /// The brokers' certificate was issued for a different name.
        case certificateName = "certificate-name"
        /// The brokers reject this client's certificate, or the client has none.
        case clientCertificate = "client-certificate"
        /// The listener seems to use a different security protocol.
        case protocolMismatch = "protocol-mismatch"
        /// The TLS handshake fails for another reason.
        case tls
        /// A broker's name cannot be resolved.
        case name
        /// The connection is refused because nothing is listening on the address.
        case refused
        /// The address does not answer, or the connection breaks.
        case unreachable
        /// The listener at the address is not a Kafka broker.
        case notKafka = "not-kafka"
        /// The brokers lack a required feature.
        case version
        /// The brokers deny this user a permission.
        case denied
    }

    /// The kind of problem.
    public let cause: Cause
    /// librdkafka's message with the broker's address, on one line, without secrets.
    public let message: String
    /// librdkafka's code.
    let code: KafkaError.Code

    public var description: String { message }
}

extension KafkaTrouble {
    /// Identifies the problem that caused an error. Returns nil if the error does not identify one, for example if it
    /// only reports that brokers are down.
    ///
    /// - Parameter version: librdkafka's version, from `rd_kafka_version`.
    init?(_ error: KafkaError, librdkafkaVersion version: Int32) {
        guard let cause = Self.cause(error, version) else { return nil }
        self.init(cause: cause, message: Self.constant(error.message), code: error.code)
    }

    /// Identifies the problem that caused an error. Returns nil if the error does not identify one.
    public init?(_ error: KafkaError) { self.init(error, librdkafkaVersion: librdkafkaVersionNumber) }

    /// The first librdkafka version that uses a new nonce for each SCRAM exchange: 2.6.1.
    static let firstWithFreshNonces: Int32 = 0x0206_01ff

    private static func cause(_ error: KafkaError, _ version: Int32) -> Cause? {
        let text = error.message
        switch error.code {
        case .topicAuthorizationFailed, .groupAuthorizationFailed, .clusterAuthorizationFailed: return .denied
        case .authentication: return authentication(text, version)
        case .unsupportedFeature: return .version
        case .resolve: return .name
        case .badMessage where text.contains("Invalid response size"): return .notKafka
        case .ssl, .transport: return connection(text) ?? (error.code == .ssl ? .tls : .unreachable)
        default: return nil
        }
    }

    private static func authentication(_ text: String, _ version: Int32) -> Cause {
        if text.contains("acquire SASL OAUTHBEARER token") {
            return text.contains(KafkaTokenError.refusal) ? .tokenRefused : .token
        }
        if text.contains("mechanism handshake failed") { return .mechanism }
        return text.contains("SCRAM-") && version < firstWithFreshNonces ? .repeatedNonce : .credentials
    }

    /// Matches OpenSSL and librdkafka error messages, more specific ones first.
    private static func connection(_ text: String) -> Cause? {
        texts.first { text.contains($0.text) }?.cause
    }

    private static let texts: [(text: String, cause: Cause)] = [
        (CertificateVerdict.expired, .expiredCertificate), (CertificateVerdict.notYetValid, .futureCertificate),
        (CertificateVerdict.otherName, .certificateName),
        ("certificate verify failed", .untrustedCertificate),
        // Alerts from a broker concern the client's certificate, because the broker's own certificate has already been
        // verified.
        ("alert bad certificate", .clientCertificate), ("alert certificate", .clientCertificate),
        ("alert unknown ca", .clientCertificate), ("alert unsupported certificate", .clientCertificate),
        ("certificate required", .clientCertificate),
        ("wrong version number", .protocolMismatch), ("unexpected eof while reading", .protocolMismatch),
        ("security.protocol", .protocolMismatch),
        ("Connection refused", .refused),
    ]

    /// Removes the varying times and counts at the end of librdkafka's messages.
    private static func constant(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        guard line.hasSuffix(")"), let range = line.ranges(of: " (after ").last else { return line }
        return String(line[..<range.lowerBound])
    }
}

extension KafkaTrouble.Cause {
    /// The precedence of a cause: a cause of lower rank does not replace one of higher rank. If a client tries several
    /// brokers and addresses, the one that answers yields the most specific error.
    var rank: Int {
        switch self {
        case .name, .refused, .unreachable: 0
        case .protocolMismatch, .tls, .notKafka: 1
        case .credentials, .repeatedNonce, .mechanism, .token, .tokenRefused, .untrustedCertificate,
            .expiredCertificate, .futureCertificate, .certificateName, .clientCertificate, .version, .denied:
            2
        }
    }
}
