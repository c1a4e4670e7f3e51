import AppStoreSigning
import AppStoreVerification
import Cryptography
import Foundation
import HTTPServer
import Kafka
import KafkaDevBroker
import Lifecycle
import Records
import ServiceKit
import Telemetry
import Testing

@testable import Ingress

/// A failed startup is reported in one line with the setting and the fix.
@Suite(.timeLimit(.minutes(5))) struct StartupTests {
    private static let shared = Result { try DevBroker() }
    private let broker: DevBroker

    init() throws { broker = try Self.shared.get() }

    private func failure(_ change: (inout IngressConfiguration) throws -> Void) async throws -> StartupError {
        let topics = TopicNames(prefix: "s\(UUID().uuidString.lowercased())")
        for specification in topics.ingress(partitions: 1) {
            try broker.createTopic(specification.name, partitions: 1)
        }
        var settings = try IngressHarness.settings(broker, topics)
        try change(&settings)
        let ingress = IngressService(
            settings, logger: Logger(label: "test", level: .debug, format: .json, sink: MemoryLogSink()),
            metrics: MetricsRegistry(), clocks: TestTime.clocks)
        let error = await #expect(throws: StartupError.self) { try await ingress.start() }
        #expect(ingress.port == 0)
        return try #require(error)
    }

    @Test func `a busy port is reported with its setting, for either listener`() async throws {
        let other = HTTPServer(
            listeners: [
                Listener(
                    name: "other", host: "127.0.0.1", port: 0, limits: .admin, admit: { _ in .notFound },
                    handle: { _, _ in })
            ])
        try other.start()
        let port = Int(other.port())
        let notifications = try await failure { $0.port = port }
        #expect(notifications.line.hasPrefix("http.port: cannot listen on 127.0.0.1:\(port): the port is in use"))
        #expect(notifications.line.hasSuffix("Set http.port to a free port."))
        #expect(notifications.exitCode == .failure)
        let admin = try await failure { $0.adminPort = port }
        #expect(admin.line.hasPrefix("admin.port: cannot listen on 127.0.0.1:\(port)"))
        #expect(admin.line.hasSuffix("Set admin.port to a free port."))
        await other.drain(within: .zero)
    }

    @Test func `http.forwarded without proxies has no effect and logs a warning`() async throws {
        func warnings(_ proxies: [String]) async throws -> Int {
            var count = 0
            try await IngressHarness.with(
                broker,
                {
                    $0.forwarded = .xForwardedFor
                    $0.proxies = proxies
                }
            ) { count = $0.log.lines.count { $0.contains("http.forwarded has no effect") } }
            return count
        }
        #expect(try await warnings([]) == 1)
        #expect(try await warnings(["10.0.0.0/8"]) == 0)
    }

    @Test func `an address of another machine is reported with its setting`() async throws {
        let notifications = try await failure { $0.host = "192.0.2.1" }
        #expect(notifications.line.hasPrefix("http.host: cannot listen on 192.0.2.1:0"))
        let admin = try await failure { $0.adminHost = "nonsense" }
        #expect(admin.line.hasPrefix("admin.host: cannot listen on nonsense:0"))
        #expect(admin.line.contains("Set admin.host to an address of this machine."))
    }

    @Test func `missing topics are reported with the command that creates them`() async throws {
        let error = try await failure { $0.topics = TopicNames(prefix: "missing") }
        #expect(error.line.hasPrefix("topics.prefix: "))
        #expect(error.line.contains("missing."))
        #expect(error.line.hasSuffix("Create it with: sluicectl topics apply."))
        #expect(error.exitCode == .configuration)
    }

    @Test func `the embedded broker is refused in the production profile`() async throws {
        let error = try await failure { $0.profile = .production }
        #expect(error.line.hasPrefix("profile: "))
        #expect(error.line.contains("sluice-dev-broker"))
        #expect(error.line.hasSuffix("Use Apache Kafka, or set profile=single-node."))
        #expect(error.exitCode == .configuration)
    }

    @Test func `unreachable brokers are named`() async throws {
        let error = try await failure { settings in
            // Port 9 of 127.0.0.1 has no listener.
            settings.kafka = try KafkaConfiguration(bootstrapServers: "127.0.0.1:9")
        }
        #expect(error.line.hasPrefix("kafka.bootstrap.servers: no Kafka broker answers at 127.0.0.1:9"))
        #expect(error.line.hasSuffix("Start Kafka, or correct the address."))
        #expect(error.exitCode == .failure)
    }

    @Test func `a root that is not self-signed is reported`() async throws {
        let leaf = try TestAppStore.shared().pki.leaf.der
        for bytes in [leaf, Array("x".utf8)] {
            let error = try await failure { $0.verifier.roots = [bytes] }
            #expect(error.line.hasPrefix("root.certificates: "), "\(error.line)")
            #expect(!error.line.contains("root.certificates: root.certificates"))
            #expect(error.exitCode == .configuration)
        }
    }

    @Test func `a duplicate app, or none, is reported`() async throws {
        let none = try await failure { $0.verifier.apps = [] }
        #expect(none.line.hasPrefix("apps: "))
        #expect(none.exitCode == .configuration)
        let twice = try await failure { $0.verifier.apps += $0.verifier.apps }
        #expect(twice.line.contains("configured twice"))
    }

    @Test func `a failed start leaves no listener open`() async throws {
        let other = HTTPServer(
            listeners: [
                Listener(
                    name: "other", host: "127.0.0.1", port: 0, limits: .admin, admit: { _ in .notFound },
                    handle: { _, _ in })
            ])
        try other.start()
        let busy = Int(other.port())
        // The admin listener was already open when the public one failed. Its port is free again.
        let free = HTTPServer(
            listeners: [
                Listener(
                    name: "free", host: "127.0.0.1", port: 0, limits: .admin, admit: { _ in .notFound },
                    handle: { _, _ in })
            ])
        try free.start()
        let port = free.port()
        await free.drain(within: .zero)
        _ = try await failure { settings in
            settings.port = busy
            settings.adminPort = Int(port)
        }
        let again = HTTPServer(
            listeners: [
                Listener(
                    name: "again", host: "127.0.0.1", port: port, limits: .admin, admit: { _ in .notFound },
                    handle: { _, _ in })
            ])
        try again.start()
        await again.drain(within: .zero)
        await other.drain(within: .zero)
    }
}
