import Kafka
import Lifecycle
import Testing

@testable import ServiceKit

/// The setting, fix and exit code for each kind of trouble, with librdkafka's messages.
@Suite struct KafkaTroubleReportTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let code: KafkaError.Code
        let text: String
        let setting: String
        let fix: String
        var exit = ExitCode.configuration

        var testDescription: String { text }
    }

    @Test(arguments: [
        Case(
            code: .authentication, text: "Invalid username or password", setting: "kafka.sasl.*",
            fix: "kafka.sasl.password.file"),
        Case(
            code: .authentication, text: "SASL SCRAM-SHA-256 mechanism handshake failed: offers PLAIN",
            setting: "kafka.sasl.mechanism", fix: "one that the listener supports"),
        Case(
            code: .authentication, text: "Failed to acquire SASL OAUTHBEARER token: no answer",
            setting: "kafka.token.*",
            fix: "identity provider", exit: .failure),
        Case(
            code: .authentication, text: "Failed to acquire SASL OAUTHBEARER token: refused: invalid_client",
            setting: "kafka.token.*", fix: "identity provider rejected"),
        Case(
            code: .ssl, text: "certificate verify failed: its certificate authority is unknown",
            setting: "kafka.ssl.ca.location",
            fix: "PEM file with the CA"),
        Case(
            code: .ssl, text: "certificate verify failed: the certificate has expired", setting: "kafka.ssl.*",
            fix: "Renew the brokers' certificates"),
        Case(
            code: .ssl, text: "certificate verify failed: the certificate is not valid yet", setting: "kafka.ssl.*",
            fix: "clock"),
        Case(
            code: .ssl, text: "certificate verify failed: the certificate does not match the host name",
            setting: "kafka.bootstrap.servers", fix: "advertised.listeners"),
        Case(
            code: .transport, text: "sslv3 alert bad certificate", setting: "kafka.ssl.certificate.location",
            fix: "kafka.ssl.key.location"),
        Case(
            code: .ssl, text: "no shared cipher", setting: "kafka.ssl.*", fix: "listener's settings", exit: .failure),
        Case(
            code: .transport, text: "might be caused by incorrect security.protocol configuration",
            setting: "kafka.security.protocol", fix: "SASL_SSL", exit: .failure),
        Case(
            code: .resolve, text: "Failed to resolve 'k:9092'", setting: "kafka.bootstrap.servers", fix: "DNS",
            exit: .failure),
        Case(
            code: .transport, text: "Connection refused", setting: "kafka.bootstrap.servers",
            fix: "Start Kafka, or correct the address", exit: .failure),
        Case(
            code: .transport, text: "Connection setup timed out", setting: "kafka.bootstrap.servers",
            fix: "Start Kafka, or correct the address", exit: .failure),
        Case(
            code: .badMessage, text: "Invalid response size 1213486160", setting: "kafka.bootstrap.servers",
            fix: "does not speak the Kafka protocol", exit: .failure),
        Case(
            code: .unsupportedFeature, text: "Idempotent producer not supported", setting: "kafka.bootstrap.servers",
            fix: "Apache Kafka 2.1 or later"),
        Case(
            code: .groupAuthorizationFailed, text: "Group authorization failed", setting: "kafka.*",
            fix: "sluicectl topics acls"),
        Case(
            code: .timedOut, text: "no broker answered within 10.0 seconds", setting: "kafka.bootstrap.servers",
            fix: "Start Kafka", exit: .failure),
    ])
    func `the error for a failed startup contains the cause, setting, fix and exit code`(_ given: Case) {
        let error = StartupError(noAnswer: KafkaError(given.code, given.text), from: "kafka-1:9092")
        #expect(error.setting == given.setting)
        #expect(error.problem.contains(given.text) && error.problem.contains("kafka-1:9092"), "\(error)")
        #expect(error.fix.contains(given.fix), "\(error)")
        #expect(error.exitCode == given.exit)
    }

    @Test func `the error for a password that this librdkafka's SCRAM cannot use with Kafka 4 names the remedies`() {
        let text = "Authentication failed due to invalid credentials with SASL mechanism SCRAM-SHA-512"
        let error = StartupError(noAnswer: KafkaError(.authentication, text), from: "k:1")
        #expect(error.fix.contains("librdkafka 2.6.1 or later") == repeatsScramNonces, "\(error)")
        #expect(error.fix.contains("kafka.sasl.password.file") && error.exitCode == .configuration)
    }

    @Test func `a topic hidden by missing rights is not reported as missing`() {
        let hidden = StartupError(missing: "t", denied: ["t"])
        #expect(hidden.line.contains("access to topic t is denied") && !hidden.line.contains("t does not exist"))
        #expect(hidden.line.contains("sluicectl topics acls") && hidden.exitCode == .configuration)
        let missing = StartupError(missing: "t", denied: [], setting: "topics.prefix")
        #expect(missing.line == "topics.prefix: topic t does not exist. Create it with: sluicectl topics apply.")
        #expect(missing.exitCode == .configuration)
        let fixed = StartupError(missing: "t", denied: [])
        #expect(fixed.line == "topic t does not exist. Create it with: sluicectl topics apply.")
    }
}
