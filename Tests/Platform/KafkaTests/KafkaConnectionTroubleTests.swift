import Kafka
import TestSupport
import Testing

/// Tests each cause of a connection failure with a socket that is not a broker.
@Suite(.timeLimit(.minutes(5))) struct KafkaConnectionTroubleTests {
    /// Returns the problem that a client reports when it requests the cluster id.
    private func trouble(
        at servers: String, _ properties: [String: String] = [:], tokens: KafkaTokenSource? = nil
    ) async throws -> KafkaTrouble {
        var configuration = try KafkaConfiguration(bootstrapServers: servers, properties: properties)
        configuration.tokenSource = tokens
        let admin = try KafkaAdmin(configuration)
        let error = await #expect(throws: KafkaError.self) { try await admin.clusterId(within: .seconds(3)) }
        await admin.close(within: .seconds(2))
        // Retriable, because the call would succeed if brokers were started later.
        #expect(error?.isRetriable == true)
        return try #require(error.flatMap { KafkaTrouble($0) }, "\(String(describing: error))")
    }

    @Test func `a closed port refuses the connection`() async throws {
        let trouble = try await trouble(at: "127.0.0.1:1")
        #expect(trouble.cause == .refused)
        #expect(trouble.message == "127.0.0.1:1/bootstrap: Connect to ipv4#127.0.0.1:1 failed: Connection refused")
    }

    @Test func `the error for an unknown host name contains the name`() async throws {
        let trouble = try await trouble(at: "kafka.invalid:9092")
        #expect(trouble.cause == .name && trouble.message.contains("kafka.invalid:9092"), "\(trouble)")
    }

    @Test func `a listener that closes each connection may expect another protocol`() async throws {
        let listener = try AnsweringListener(answering: [])
        #expect(try await trouble(at: "127.0.0.1:\(listener.port)").cause == .protocolMismatch)
        listener.close()
    }

    @Test func `a web server is not accepted as a broker`() async throws {
        let listener = try AnsweringListener(answering: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        #expect(try await trouble(at: "127.0.0.1:\(listener.port)").cause == .notKafka)
        #expect(
            try await trouble(at: "127.0.0.1:\(listener.port)", ["security.protocol": "ssl"]).cause
                == .protocolMismatch)
        listener.close()
    }

    @Test(arguments: [(false, KafkaTrouble.Cause.token), (true, .tokenRefused)])
    func `the error for an unavailable token names the reason`(_ isRefusal: Bool, _ cause: KafkaTrouble.Cause)
        async throws
    {
        let properties = ["security.protocol": "sasl_plaintext", "sasl.mechanism": "OAUTHBEARER"]
        let tokens = KafkaTokenSource { () throws(KafkaTokenError) in
            throw KafkaTokenError("https://idp.example says invalid_client", isRefusal: isRefusal)
        }
        let trouble = try await trouble(at: "127.0.0.1:1", properties, tokens: tokens)
        #expect(
            trouble.cause == cause && trouble.message.contains("https://idp.example says invalid_client"), "\(trouble)")
    }

    @Test(
        .enabled(if: TLSFiles.isAvailable, "\(TLSFiles.absence)"),
        arguments: [
            ("expired", "IP:127.0.0.1", -1, KafkaTrouble.Cause.expiredCertificate, "has expired"),
            ("elsewhere", "DNS:elsewhere.test", 30, .certificateName, "does not match the host name"),
        ])
    func `the error for a refused broker certificate names the reason`(
        _ name: String, _ names: String, _ days: Int, _ cause: KafkaTrouble.Cause, _ reason: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let files = try await TLSFiles(in: directory.path)
        let (server, port) = try await files.serve(try await files.certificate(name, for: names, days: days))
        let trouble = try await trouble(
            at: "127.0.0.1:\(port)", ["security.protocol": "ssl", "ssl.ca.location": files.authority])
        #expect(trouble.cause == cause && trouble.message.contains(reason), "\(trouble)")
        await server.stop()
    }

    @Test(.enabled(if: TLSFiles.isAvailable, "\(TLSFiles.absence)"))
    func `an untrusted authority and a missing client certificate are distinguished`() async throws {
        let (directory, other) = (try TemporaryDirectory(), try TemporaryDirectory())
        let files = try await TLSFiles(in: directory.path)
        let others = try await TLSFiles(in: other.path)
        let certificate = try await files.certificate("broker", for: "IP:127.0.0.1")
        let (server, port) = try await files.serve(certificate, isMutual: true)
        let untrusted = try await trouble(
            at: "127.0.0.1:\(port)", ["security.protocol": "ssl", "ssl.ca.location": others.authority])
        #expect(untrusted.cause == .untrustedCertificate && untrusted.message.contains("authority"), "\(untrusted)")
        let missing = try await trouble(
            at: "127.0.0.1:\(port)", ["security.protocol": "ssl", "ssl.ca.location": files.authority])
        #expect(missing.cause == .clientCertificate, "\(missing)")
        await server.stop()
    }
}
