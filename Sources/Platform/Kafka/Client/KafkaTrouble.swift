/// A reason why a client and its brokers do not come together, told from librdkafka's errors.
public struct KafkaTrouble: Hashable, Sendable, CustomStringConvertible {
    /// The kind of the reason.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The brokers refuse the user with this password or token.
        case credentials
        /// The brokers refuse SCRAM of a librdkafka before 2.6.1. The password may be wrong, but Kafka 4 refuses it with the
        /// right one as well, because librdkafka repeats its nonce (librdkafka's issue 4895).
        case repeatedNonce = "repeated-nonce"
        /// The listener does not offer the SASL mechanism.
        case mechanism
        /// The identity provider cannot be asked for a token, or does not answer as it should.
        case token
        /// The identity provider refuses to give a token.
        case tokenRefused = "token-refused"
        /// The authority of the brokers' certificate is not trusted.
        case untrustedCertificate = "untrusted-certificate"
        case expiredCertificate = "expired-certificate"
        case futureCertificate = "future-certificate"
        /// The brokers' certificate is for another name.
        case certificateName = "certificate-name"
        /// The brokers refuse this client's certificate, or it has none.
        case clientCertificate = "client-certificate"
        /// The listener seems to speak another security protocol.
        case protocolMismatch = "protocol-mismatch"
        /// The TLS handshake fails for another reason.
        case tls
        /// A broker's name cannot be resolved.
        case name
        /// Nothing listens at the address.
        case refused
        /// The address does not answer, or the connection breaks.
        case unreachable
        /// Something listens at the address that is no broker.
        case notKafka = "not-kafka"
        /// The brokers lack a feature that is needed.
        case version
        /// The brokers deny this user a right.
        case denied
    }

    /// The kind of the reason.
    public let cause: Cause
    /// librdkafka's text with the broker's address, on one line; holds no secret.
    public let message: String
    /// librdkafka's code.
    let code: KafkaError.Code

    public var description: String { message }
}

extension KafkaTrouble {
    /// The reason that an error tells; nil where it tells none, such as the number of brokers that are down.
    ///
    /// - Parameter version: of librdkafka, as `rd_kafka_version` has it.
    init?(_ error: KafkaError, librdkafkaVersion version: Int32) {
        guard let cause = Self.cause(error, version) else { return nil }
        self.init(cause: cause, message: Self.constant(error.message), code: error.code)
    }

    /// The reason that an error tells; nil where it tells none.
    public init?(_ error: KafkaError) { self.init(error, librdkafkaVersion: librdkafkaVersionNumber) }

    /// The first librdkafka that makes a nonce of its own for each SCRAM exchange: 2.6.1.
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
            return text.contains(KafkaTokenFailure.refusal) ? .tokenRefused : .token
        }
        if text.contains("mechanism handshake failed") { return .mechanism }
        return text.contains("SCRAM-") && version < firstWithFreshNonces ? .repeatedNonce : .credentials
    }

    /// The texts of OpenSSL and librdkafka, the more telling ones first.
    private static func connection(_ text: String) -> Cause? {
        texts.first { text.contains($0.text) }?.cause
    }

    private static let texts: [(text: String, cause: Cause)] = [
        (CertificateVerdict.expired, .expiredCertificate), (CertificateVerdict.notYetValid, .futureCertificate),
        (CertificateVerdict.otherName, .certificateName),
        ("certificate verify failed", .untrustedCertificate),
        // Alerts of the brokers are about the client's certificate: their own was examined before.
        ("alert bad certificate", .clientCertificate), ("alert certificate", .clientCertificate),
        ("alert unknown ca", .clientCertificate), ("alert unsupported certificate", .clientCertificate),
        ("certificate required", .clientCertificate),
        ("wrong version number", .protocolMismatch), ("unexpected eof while reading", .protocolMismatch),
        ("security.protocol", .protocolMismatch),
        ("Connection refused", .refused),
    ]

    /// librdkafka ends its texts with times and counts, which differ each time.
    private static func constant(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        guard line.hasSuffix(")"), let range = line.ranges(of: " (after ").last else { return line }
        return String(line[..<range.lowerBound])
    }
}

extension KafkaTrouble.Cause {
    /// Reasons of a higher rank stay in sight although a lower one is reported after them: of several brokers and
    /// addresses, the one that answers tells most.
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
