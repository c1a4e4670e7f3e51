import Foundation
import Kafka
import KafkaDevBroker
import OperatorEvents
import PipelineTestSupport
import Primitives
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// A test's own topics and directory, with the members that use them.
final class StateHarness: Sendable {
    let directory: TemporaryDirectory
    let kafka: KafkaConfiguration
    let input: KafkaTopic
    let output: KafkaTopic
    let partitions: Int32
    let now = Atomic<Int64>(1_000)
    private static let last = Atomic(0)

    /// Uses the shared embedded broker.
    convenience init(partitions: Int32 = 1) throws {
        try self.init(StateTestBroker.configuration(), partitions)
        for topic in [input, output] {
            try StateTestBroker.shared().createTopic(topic, partitions: Int(partitions))
        }
    }

    /// Uses an embedded broker for this test only, which the test may stop.
    convenience init(on broker: DevBroker) throws {
        try self.init(KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded), 1)
        for topic in [input, output] { try broker.createTopic(topic, partitions: 1) }
    }

    private init(_ kafka: KafkaConfiguration, _ partitions: Int32) throws {
        directory = try TemporaryDirectory()
        self.kafka = kafka
        // Earlier runs may have used the same brokers.
        let name = "\(ProcessInfo.processInfo.processIdentifier).\(Self.last.add(1, ordering: .relaxed).newValue)"
        input = KafkaTopic(rawValue: "state.input.\(name)")
        output = KafkaTopic(rawValue: "state.output.\(name)")
        self.partitions = partitions
    }

    /// Uses Apache Kafka.
    ///
    /// - Parameter settings: settings of the state topic.
    static func onApacheKafka(
        _ settings: [String: String] = [:], partitions: Int32 = 1
    ) async throws -> StateHarness {
        let harness = try StateHarness(
            KafkaConfiguration(bootstrapServers: await ApacheKafka.shared().bootstrapServers), partitions)
        try await harness.create([harness.input: [:], harness.output: settings])
        return harness
    }

    func create(_ topics: [KafkaTopic: [String: String]]) async throws {
        try await kafka.create(
            topics.map {
                KafkaNewTopic(topic: $0, partitions: Int(partitions), replicationFactor: 1, configuration: $1)
            })
        let admin = try KafkaAdmin(kafka)
        for topic in topics.keys {
            try await waitUntil { (try? await admin.watermarks(of: topic).count) == Int(partitions) }
        }
        await admin.close(within: .seconds(5))
    }

    /// The end offsets of the state's only partition.
    func ends() async throws -> KafkaWatermarks? {
        let admin = try KafkaAdmin(kafka)
        let ends = try await admin.watermarks(of: output).values.first
        await admin.close(within: .seconds(5))
        return ends
    }

    func place(_ partition: Int32 = 0) -> KafkaTopicPartition {
        KafkaTopicPartition(topic: input, partition: KafkaPartition(rawValue: partition))
    }

    /// Returns the partition that stores the rows of an input partition.
    func output(_ partition: Int32 = 0) -> KafkaTopicPartition {
        KafkaTopicPartition(topic: output, partition: KafkaPartition(rawValue: partition))
    }

    /// Returns a started member with a file of this name. It has no partition yet.
    func member(
        _ file: String = "state", model: NumberSetModel = NumberSetModel(),
        metrics: MetricsRegistry = MetricsRegistry(),
        log: MemoryLogSink = MemoryLogSink(), events: OperatorEvents? = nil,
        _ adjust: (inout StateOptions) -> Void = { _ in }
    ) async throws -> KeyedState<NumberSetModel> {
        let state = create(file, model: model, metrics: metrics, log: log, events: events, adjust)
        try await state.start()
        return state
    }

    /// Returns a member that has not been started.
    func create(
        _ file: String = "state", model: NumberSetModel = NumberSetModel(),
        metrics: MetricsRegistry = MetricsRegistry(),
        log: MemoryLogSink = MemoryLogSink(), events: OperatorEvents? = nil,
        _ adjust: (inout StateOptions) -> Void = { _ in }
    ) -> KeyedState<NumberSetModel> {
        var options = StateOptions(path: directory.file(file), topics: [input: output])
        options.tick = .milliseconds(20)
        adjust(&options)
        return KeyedState(
            options, model: model, kafka: kafka,
            logger: Logger(label: "test", level: .debug, format: .json, sink: log), metrics: metrics,
            clocks: Clocks(
                wallMilliseconds: { self.now.load(ordering: .relaxed) },
                monotonicNanoseconds: Clocks.system.monotonicNanoseconds), events: events)
    }

    /// Returns one key for each partition.
    var keys: [String] {
        (0..<partitions).map { number in
            (0...).lazy.map { "k\($0)" }.first {
                KafkaPartition(ofKey: Array($0.utf8), partitions: partitions).rawValue == number
            } ?? ""
        }
    }

    /// Returns all records in the topic, oldest first.
    ///
    /// - Parameter partition: the partition to read; nil for all.
    func published(partition: Int32? = nil) async throws -> [KafkaRecord] {
        guard let partition else { return try await kafka.records(of: [output], partitions: partitions) }
        let place = output(partition)
        var records: [KafkaRecord] = []
        try await KafkaConsumer.readToEnd(kafka, from: [place: .beginning], within: .seconds(20)) { records += $0 }
        return records
    }

    /// Returns the keys whose last record is marked as pending, sorted.
    func pending() async throws -> [String] {
        var keys: Set<String> = []
        for record in try await published() {
            let key = String(decoding: record.key ?? [], as: UTF8.self)
            keys.remove(key)
            if record.header(StateHeader.pending) != nil { keys.insert(key) }
        }
        return keys.sorted()
    }

    /// Returns the last value of each key in the topic.
    func lastValues() async throws -> [String: String] {
        var values: [String: String] = [:]
        for record in try await published() {
            values[String(decoding: record.key ?? [], as: UTF8.self)] = record.value.map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return values
    }

    /// Writes to the state topic as another writer.
    func write(_ key: String, _ value: [UInt8]?, headers: [KafkaHeader] = []) async throws {
        let key = Array(key.utf8)
        try await kafka.write([
            KafkaProducerRecord(
                topic: output, partition: KafkaPartition(ofKey: key, partitions: partitions), key: key,
                value: value, headers: headers)
        ])
    }
}

extension KeyedState<NumberSetModel> {
    /// Returns the rows as text, sorted, after all existing records have been applied.
    func dump() async throws -> [String] {
        try await catchUp()
        return try parts().database.rows.states().map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    /// Waits until all existing records of the followed partitions are applied.
    func catchUp() async throws {
        let parts = try parts()
        for place in withRunning({ Array($0.followed.keys) }) {
            let end = try await parts.changelog.queries.watermarks(of: place).high.rawValue
            _ = await progress.wait(for: end, of: place)
        }
    }

    func end() async { await stop(within: .seconds(5)) }
}

extension MetricsRegistry {
    /// Returns the sum of a metric's samples.
    func sum(_ name: String) -> Double { (values(name + " ") + values(name + "{")).reduce(0, +) }
}
