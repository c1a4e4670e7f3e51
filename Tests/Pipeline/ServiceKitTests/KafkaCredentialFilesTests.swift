import CommandLine
import Configuration
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import ServiceKit

/// Kafka password and certificate files that change while a process runs.
@Suite struct KafkaCredentialFilesTests {
    private let directory: TemporaryDirectory
    private let log = MemoryLogSink()
    private let metrics = MetricsRegistry()
    private let files: KafkaCredentialFiles

    init() throws {
        directory = try TemporaryDirectory()
        let password = try directory.write("first\n", to: "password")
        let certificate = try directory.write("certificate", to: "client.pem")
        let command = Command(
            "test", summary: "Tests.",
            schema: ConfigurationSchema(ApplicationSettings.all, openPrefixes: [ApplicationSettings.kafka]),
            version: "0")
        let outcome = command.parse(
            [
                "--kafka.sasl.password.file", password, "--kafka.ssl.certificate.location", certificate,
                "--kafka.ssl.ca.location", directory.path, "--kafka.client.id", "c",
            ], environment: [:])
        guard case .run(let invocation) = outcome else { throw CancellationError() }
        files = KafkaCredentialFiles(
            invocation.configuration, logger: Logger(label: "test", level: .debug, format: .json, sink: log),
            metrics: metrics)
    }

    private func gauge(_ property: String) -> String? {
        String(decoding: metrics.prometheusText(), as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("sluice_kafka_credentials_changed{property=\"\(property)\"}")
        }.map { String($0.suffix(1)) }
    }

    private var warnings: [String] { log.lines.filter { $0.contains("have changed since startup") } }

    @Test func `a changed password is reported once, until it changes back`() throws {
        files.check()
        #expect(gauge("sasl.password.file") == "0" && gauge("ssl.certificate.location") == "0")
        #expect(warnings.isEmpty)
        _ = try directory.write("second\n", to: "password")
        files.check()
        files.check()
        #expect(gauge("sasl.password.file") == "1" && gauge("ssl.certificate.location") == "0")
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("sasl.password.file") == true)
        #expect(!log.lines.contains { $0.contains("second") })
        _ = try directory.write("first\n", to: "password")
        files.check()
        #expect(gauge("sasl.password.file") == "0")
    }

    @Test func `a missing certificate counts as changed, and the same content written again does not`() throws {
        _ = try directory.write("certificate", to: "client.pem")
        files.check()
        #expect(gauge("ssl.certificate.location") == "0")
        try FileManager.default.removeItem(atPath: directory.file("client.pem"))
        files.check()
        #expect(gauge("ssl.certificate.location") == "1")
    }

    @Test func `a folder of certificates is not watched`() {
        #expect(gauge("ssl.ca.location") == nil)
    }
}
