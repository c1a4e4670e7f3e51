import AppStoreModel
import AppStoreSigning
import AppStoreTestSupport
import AppStoreVerification
import Configuration
import Cryptography
import Foundation
import HTTPClient
import HTTPServer
import Kafka
import KafkaDevBroker
import Primitives
import Records
import ServiceKit
import Telemetry
import TestSupport
import Testing
import Tracing

@testable import Ingress

/// An ingress on free ports with its own topics on an embedded broker, and a client that posts to it.
struct IngressHarness: Sendable {
    static let partitions = 3

    let broker: DevBroker
    let topics: TopicNames
    let ingress: IngressService
    let metrics: MetricsRegistry
    let log: MemoryLogSink
    let client: HTTPClient

    /// Starts an ingress. `change` modifies the default settings.
    init(
        _ broker: DevBroker, clocks: Clocks = TestTime.clocks, tracer: Tracer? = nil,
        _ change: (inout IngressConfiguration) throws -> Void = { _ in }
    ) async throws {
        let own = TopicNames(prefix: "t\(UUID().uuidString.lowercased())")
        var settings = try Self.settings(broker, own)
        try change(&settings)
        topics = settings.topics
        // Another harness created the topics of shared settings.
        for specification in topics.ingress(partitions: Self.partitions) where topics == own {
            try broker.createTopic(specification.name, partitions: specification.partitions)
        }
        self.broker = broker
        metrics = MetricsRegistry()
        log = MemoryLogSink()
        ingress = IngressService(
            settings, logger: Logger(label: "test", level: .debug, format: .json, sink: log), metrics: metrics,
            clocks: clocks, tracer: tracer)
        client = HTTPClient(HTTPClient.Configuration(maximumInFlight: 1000, maximumIdleConnections: 256))
        try await ingress.start()
    }

    static func settings(_ broker: DevBroker, _ topics: TopicNames) throws -> IngressConfiguration {
        IngressConfiguration(
            // One request in flight, because the embedded broker does not check sequence numbers.
            kafka: try KafkaConfiguration(
                bootstrapServers: broker.bootstrapServers,
                properties: ["max.in.flight.requests.per.connection": "1"]),
            topics: topics, profile: .singleNode, host: "127.0.0.1", port: 0, adminHost: "127.0.0.1", adminPort: 0,
            verifier: VerifierConfiguration(
                roots: [try TestAppStore.shared().pki.root.der], apps: [TestAppStore.app], revocation: .off),
            workers: 2, rememberedNotifications: 10_000, quarantineBytesPerHour: 64 << 20,
            proxies: ["127.0.0.0/8"], acceptsAfterReadiness: .zero)
    }

    func stop() async {
        await ingress.stop(within: .seconds(10))
        client.close()
    }

    /// Starts an ingress, passes it to `body`, and always stops it.
    static func with(
        _ broker: DevBroker, clocks: Clocks = TestTime.clocks, tracer: Tracer? = nil,
        _ change: (inout IngressConfiguration) throws -> Void = { _ in },
        _ body: (IngressHarness) async throws -> Void
    ) async throws {
        let harness = try await IngressHarness(broker, clocks: clocks, tracer: tracer, change)
        do {
            try await body(harness)
        } catch {
            await harness.stop()
            throw error
        }
        await harness.stop()
    }

    // MARK: HTTP

    var address: String { "http://127.0.0.1:\(ingress.port)/notifications" }

    func post(
        _ body: [UInt8], headers: [(String, String)] = [], timeout: Duration = .seconds(20)
    ) async throws -> HTTPClientResponse {
        let fields = [("Content-Type", "application/json")] + headers
        return try await client.send(
            HTTPClientRequest(
                method: "POST", url: address, headers: fields.map { (name: $0.0, value: $0.1) }, body: body,
                timeout: timeout))
    }

    func get(_ path: String) async throws -> (status: Int, text: String) {
        let response = try await client.send(
            HTTPClientRequest(url: "http://127.0.0.1:\(ingress.adminPort)\(path)"))
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    // MARK: metrics

    /// Returns the number of requests answered with this status for this reason.
    func decisions(_ reason: String, _ status: Int) -> Int {
        value("sluice_ingress_decisions_total{reason=\"\(reason)\",status=\"\(status)\"}")
    }

    /// Returns the integer value of a time series; 0 if there is none.
    func value(_ series: String) -> Int {
        for line in String(decoding: metrics.prometheusText(), as: UTF8.self).split(separator: "\n")
        where line.hasPrefix(series + " ") {
            return Double(line.dropFirst(series.count + 1)).flatMap { Int(exactly: $0) } ?? 0
        }
        return 0
    }

    // MARK: Kafka

    /// Returns all records of a topic.
    func records(_ topic: KafkaTopic) async throws -> [KafkaRecord] {
        let configuration = try KafkaConfiguration(
            bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let partitions = [topics.quarantine, topics.certificates].contains(topic) ? 1 : Self.partitions
        var offsets: [KafkaTopicPartition: KafkaOffset] = [:]
        for partition in 0..<partitions {
            offsets[
                KafkaTopicPartition(
                    topic: topic, partition: KafkaPartition(rawValue: Int32(partition)))
            ] = .beginning
        }
        var all: [KafkaRecord] = []
        try await KafkaConsumer.readToEnd(configuration, from: offsets, within: .seconds(20)) { all += $0 }
        return all
    }

    /// Returns the header segments of the certificates topic.
    func headers() async throws -> [HeaderReference: [UInt8]] {
        let headers = try await records(topics.certificates).compactMap(CertificateHeader.init)
        for header in headers { #expect(header.reference.rawValue == SHA256.digest(of: header.segment).hex) }
        return Dictionary(headers.map { ($0.reference, $0.segment) }, uniquingKeysWith: { first, _ in first })
    }

    var production: KafkaTopic { topics.notifications(.production) }
    var sandbox: KafkaTopic { topics.notifications(.sandbox) }

    /// Returns the number of records in each of the three topics.
    func counts() async throws -> [Int] {
        [
            try await records(production).count, try await records(sandbox).count,
            try await records(topics.quarantine).count,
        ]
    }
}

extension KafkaRecord {
    func text(_ name: String) -> String? { header(name)?.value.map { String(decoding: $0, as: UTF8.self) } }

    var keyText: String? { key.map { String(decoding: $0, as: UTF8.self) } }
}

/// The time of all tests: a fixed day, with a running clock.
enum TestTime {
    /// 2027-01-15T08:00:00Z, milliseconds since 1970.
    static let start = SigningKit.now

    /// Returns clocks that do not advance on their own. The monotonic one follows `clock`.
    static func standing(_ clock: ManualClock = ManualClock()) -> Clocks {
        Clocks(wallMilliseconds: { start }, monotonicNanoseconds: { clock.now })
    }

    static let clocks: Clocks = {
        let begun = Clocks.system.monotonicMilliseconds()
        return Clocks(
            wallMilliseconds: { start + Clocks.system.monotonicMilliseconds() - begun },
            monotonicNanoseconds: Clocks.system.monotonicNanoseconds)
    }()
}
