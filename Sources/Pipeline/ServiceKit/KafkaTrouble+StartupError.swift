internal import Configuration
package import Kafka
package import Lifecycle

/// A report for operators about a connection problem: the setting, the problem and the fix.
package struct KafkaTroubleReport: Sendable, Equatable {
    /// The key of the setting, or `kafka.….*` if several are possible.
    package let setting: String
    /// The problem, with the broker addresses and librdkafka's message.
    package let problem: String
    package let fix: String
    /// Whether the problem will recur at the next start even if the network is fine. If so, the exit code is 78.
    package let isPermanent: Bool
}

extension KafkaTrouble {
    /// Returns the report for operators.
    ///
    /// - Parameter servers: the value of `kafka.bootstrap.servers`.
    package func report(_ servers: String) -> KafkaTroubleReport {
        let (setting, problem, fix, isPermanent) = words(" at \(servers)")
        return KafkaTroubleReport(
            setting: setting, problem: "\(problem): \(message)", fix: fix, isPermanent: isPermanent)
    }

    /// The problem and the fix in one line, for `/readyz`.
    package var advice: String {
        let words = words("")
        return "\(words.problem): \(message). \(words.fix)"
    }

    private typealias Words = (setting: String, problem: String, fix: String, isPermanent: Bool)

    /// - Parameter place: the location of the brokers, with a leading space, or an empty string.
    private func words(_ place: String) -> Words {
        switch cause {
        case .credentials, .repeatedNonce, .mechanism, .token, .tokenRefused: authentication(place)
        case .untrustedCertificate, .expiredCertificate, .futureCertificate, .certificateName, .clientCertificate, .tls:
            encryption(place)
        case .protocolMismatch, .name, .refused, .unreachable, .notKafka, .version, .denied: connection(place)
        }
    }

    private func authentication(_ place: String) -> Words {
        switch cause {
        case .repeatedNonce:
            (
                "kafka.sasl.*", "the brokers\(place) rejected the credentials",
                """
                Correct kafka.sasl.username and kafka.sasl.password.file. Kafka 4 and later reject SCRAM from \
                librdkafka \(librdkafkaVersion) even with the correct password: use librdkafka 2.6.1 or later \
                (Debian 13), or mTLS, OAUTHBEARER or PLAIN over TLS
                """, true
            )
        case .mechanism:
            (
                "kafka.sasl.mechanism", "the listener\(place) does not support this SASL mechanism",
                "Set kafka.sasl.mechanism to one that the listener supports, or use a listener with SASL in "
                    + ApplicationSettings.bootstrapServers.key, true
            )
        case .token:
            (
                "kafka.token.*", "no token was issued for the brokers\(place)",
                "Check that the identity provider is reachable from this machine", false
            )
        case .tokenRefused:
            (
                "kafka.token.*", "no token was issued for the brokers\(place)",
                "Correct the credentials, the scope or the role that the identity provider rejected", true
            )
        default:
            (
                "kafka.sasl.*", "the brokers\(place) rejected the credentials",
                """
                Correct kafka.sasl.username and kafka.sasl.password.file, or the token settings, or create the \
                user on the brokers
                """, true
            )
        }
    }

    private func encryption(_ place: String) -> Words {
        let problem = "the certificate of the brokers\(place) is not trusted"
        return switch cause {
        case .untrustedCertificate:
            (
                "kafka.ssl.ca.location", problem,
                "Set it to a PEM file with the CA of the brokers' certificates", true
            )
        case .expiredCertificate:
            ("kafka.ssl.*", problem, "Renew the brokers' certificates, or correct this machine's clock", true)
        case .futureCertificate: ("kafka.ssl.*", problem, "Correct this machine's clock", true)
        case .certificateName:
            (
                ApplicationSettings.bootstrapServers.key, problem,
                "Use names from the certificates, both in this setting and in the brokers' advertised.listeners", true
            )
        case .clientCertificate:
            (
                "kafka.ssl.certificate.location",
                "the brokers\(place) rejected this client's certificate, or the client has none",
                """
                Set it to an unexpired certificate that the brokers trust, and kafka.ssl.key.location to its private key
                """, true
            )
        default:
            (
                "kafka.ssl.*", "the TLS handshake with the brokers\(place) failed",
                "Compare kafka.ssl.* with the listener's settings", false
            )
        }
    }

    private func connection(_ place: String) -> Words {
        let key = ApplicationSettings.bootstrapServers.key
        let problem = "no Kafka broker answers\(place)"
        return switch cause {
        case .protocolMismatch:
            (
                "kafka.security.protocol", problem,
                """
                Set it to the protocol of the listener (PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL), or use a \
                different listener in \(key)
                """, false
            )
        case .name: (key, problem, "Correct the host name, or this machine's DNS", false)
        case .notKafka:
            (
                key, problem,
                "Set it to the brokers' address: the server at the current address does not speak the Kafka protocol",
                false
            )
        case .version:
            (key, "the brokers\(place) are too old", "Use Apache Kafka 2.1 or later", true)
        case .denied:
            (
                "kafka.*", "the brokers\(place) denied this user access",
                "Grant the ACLs printed by: sluicectl topics acls", true
            )
        default: (key, problem, "Start Kafka, or correct the address", false)
        }
    }
}

extension StartupError {
    /// Creates an error for brokers that do not answer or that reject this client, with librdkafka's reason if known.
    ///
    /// - Parameters:
    ///   - error: the error from the first call.
    ///   - servers: the value of `kafka.bootstrap.servers`.
    package init(noAnswer error: KafkaError, from servers: String) {
        guard let report = KafkaTrouble(error)?.report(servers) else {
            self.init(
                "no Kafka broker answers at \(servers): \(error.message)",
                setting: ApplicationSettings.bootstrapServers.key, fix: "Start Kafka, or correct the address")
            return
        }
        self.init(
            report.problem, setting: report.setting, fix: report.fix,
            exitCode: report.isPermanent ? .configuration : .failure)
    }

    /// Creates an error for a topic that does not exist or is not visible to this user.
    ///
    /// - Parameters:
    ///   - denied: topics that this user is not authorized to describe.
    ///   - setting: the key of the setting that determines the topic's name; nil if there is none.
    package init(missing topic: KafkaTopic, denied: Set<KafkaTopic>, setting: String? = nil) {
        guard denied.contains(topic) else {
            self.init(
                "topic \(topic) does not exist", setting: setting,
                fix: "Create it with: sluicectl topics apply",
                exitCode: .configuration)
            return
        }
        self.init(
            "access to topic \(topic) is denied, so the brokers do not report whether it exists", setting: "kafka.*",
            fix: "Grant the ACLs printed by: sluicectl topics acls. If the topic does not exist, create it with: "
                + "sluicectl topics apply", exitCode: .configuration)
    }
}
