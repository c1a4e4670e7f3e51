import Testing

@testable import Kafka

/// Error texts of librdkafka 2.0.2 and 2.8.0 with Apache Kafka 4.3.1 and OpenSSL 3.
@Suite struct KafkaTroubleTests {
    struct Report: Sendable, CustomTestStringConvertible {
        let code: KafkaError.Code
        let text: String
        var version: Int32 = 0x0208_00ff
        let cause: KafkaTrouble.Cause?

        var testDescription: String { text }
    }

    @Test(arguments: [
        Report(
            code: .authentication,
            text: "SASL authentication error: Authentication failed: Invalid username or password",
            cause: .credentials),
        Report(
            code: .authentication,
            text: "SASL authentication error: Authentication failed during authentication due to invalid credentials "
                + "with SASL mechanism SCRAM-SHA-512", version: 0x0206_01ff, cause: .credentials),
        Report(
            code: .authentication,
            text: "SASL authentication error: Authentication failed during authentication due to invalid credentials "
                + "with SASL mechanism SCRAM-SHA-512", version: 0x0206_00ff, cause: .repeatedNonce),
        Report(
            code: .authentication,
            text:
                "SASL SCRAM-SHA-256 mechanism handshake failed: Broker: Unsupported SASL mechanism: broker's supported "
                + "mechanisms: PLAIN", version: 0x0200_02ff, cause: .mechanism),
        Report(
            code: .authentication, text: "Failed to acquire SASL OAUTHBEARER token: https://idp.example: timed out",
            cause: .token),
        Report(
            code: .authentication, text: "Failed to acquire SASL OAUTHBEARER token: refused: invalid_client",
            cause: .tokenRefused),
        Report(
            code: .ssl,
            text:
                "SSL handshake failed: error:0A000086:SSL routines::certificate verify failed: broker certificate could "
                + "not be verified, verify that ssl.ca.location is correctly configured", cause: .untrustedCertificate),
        Report(
            code: .transport,
            text: "Receive failed: error:0A000412:SSL routines::sslv3 alert bad certificate: SSL alert number 42",
            cause: .clientCertificate),
        Report(
            code: .transport, text: "Receive failed: error:0A00045C:SSL routines::tlsv13 alert certificate required",
            cause: .clientCertificate),
        Report(
            code: .ssl,
            text: "SSL handshake failed: error:0A00010B:SSL routines::wrong version number: connecting to "
                + "a PLAINTEXT broker listener?", cause: .protocolMismatch),
        Report(
            code: .ssl, text: "SSL handshake failed: error:0A000126:SSL routines::unexpected eof while reading",
            cause: .protocolMismatch),
        Report(code: .ssl, text: "SSL handshake failed: no shared cipher", cause: .tls),
        Report(
            code: .transport,
            text:
                "Disconnected while requesting ApiVersion: might be caused by incorrect security.protocol configuration",
            cause: .protocolMismatch),
        Report(code: .resolve, text: "Failed to resolve 'k:9092': Name or service not known", cause: .name),
        Report(code: .transport, text: "Connect to ipv4#127.0.0.1:9 failed: Connection refused", cause: .refused),
        Report(code: .transport, text: "Connection setup timed out in state CONNECT", cause: .unreachable),
        Report(
            code: .badMessage, text: "Receive failed: Invalid response size 1213486160 (0..100000000)",
            cause: .notKafka),
        Report(
            code: .unsupportedFeature, text: "Idempotent producer not supported by any of the 1 connected broker(s)",
            cause: .version),
        Report(
            code: .groupAuthorizationFailed, text: "FindCoordinator response error: Group authorization failed",
            cause: .denied),
        Report(code: .allBrokersDown, text: "1/1 brokers are down", cause: nil),
        Report(code: .badMessage, text: "CRC32C mismatch", cause: nil),
        Report(code: .partitionEOF, text: "No more messages", cause: nil),
    ])
    func `the cause is derived from librdkafka's error`(_ report: Report) {
        let error = KafkaError(report.code, report.text)
        #expect(KafkaTrouble(error, librdkafkaVersion: report.version)?.cause == report.cause)
    }

    @Test func `times and counts that change with each repetition are omitted`() {
        let text =
            "b:1/bootstrap: Connect failed: Connection refused (after 0ms in state CONNECT, 1 identical error(s) "
            + "suppressed)"
        #expect(
            KafkaTrouble(KafkaError(.transport, text))?.message == "b:1/bootstrap: Connect failed: Connection refused")
        let other = "b:1: Connection refused (errno 111)"
        #expect(KafkaTrouble(KafkaError(.transport, other))?.message == other)
    }
}

@Suite struct KafkaTroubleRecordTests {
    private let password = KafkaError(.authentication, "Invalid username or password")
    private let closed = KafkaError(.transport, "Connection refused")
    private let denied = KafkaError(.groupAuthorizationFailed, "Group authorization failed")
    private let second: Int64 = 1_000_000_000

    @Test func `a more specific cause is kept while it is repeated, and replaced after a minute`() {
        var record = KafkaTroubleRecord()
        #expect(record.trouble(at: 0) == nil)
        record.receive(closed, at: 0)
        #expect(record.trouble(at: 0)?.cause == .refused)
        record.receive(password, at: second)
        record.receive(closed, at: 60 * second)
        #expect(record.trouble(at: 60 * second)?.cause == .credentials)
        record.receive(KafkaError(.allBrokersDown, "1/1 brokers are down"), at: 62 * second)
        #expect(record.trouble(at: 62 * second)?.cause == .credentials)
        record.receive(closed, at: 62 * second)
        #expect(record.trouble(at: 62 * second)?.cause == .refused)
    }

    @Test func `the later of two equally specific causes is reported`() {
        var record = KafkaTroubleRecord()
        record.receive(closed, at: 0)
        record.receive(KafkaError(.resolve, "Failed to resolve"), at: 1)
        #expect(record.trouble(at: 1)?.cause == .name)
    }

    @Test func `a connection clears connection problems, but not a denial`() {
        var record = KafkaTroubleRecord()
        record.receive(password, at: 0)
        record.receive(denied, at: 0)
        #expect(record.trouble(at: 0)?.cause == .credentials)
        record.connect()
        #expect(record.trouble(at: 0)?.cause == .denied)
        record.join()
        #expect(record.trouble(at: 0) == nil)
    }

    @Test func `a denial that is not repeated expires`() {
        var record = KafkaTroubleRecord()
        record.receive(denied, at: 0)
        #expect(record.trouble(at: 59 * second)?.cause == .denied)
        #expect(record.trouble(at: 60 * second) == nil)
    }
}
