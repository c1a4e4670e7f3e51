import Foundation
import Kafka
import KafkaDevBroker
import Synchronization
import Telemetry
import TestSupport
import Testing
import Time

@testable import KeyedState

/// Topics and a directory of a test's own, and the members that work on them.
final class StateHarness: Sendable {
    let directory: TemporaryDirectory
    let kafka: KafkaConfiguration
    let input: KafkaTopic
    let output: KafkaTopic
    let partitions: Int32
    let now = Atomic<Int64>(1_000)
    private static let last = Atomic(0)

    /// On the embedded broker.
    convenience init(partitions: Int32 = 1) throws {
        try self.init(StateTestBroker.configuration(), partitions)
        for topic in [input, output] {
            try StateTestBroker.shared().createTopic(topic, partitions: Int(partitions))
        }
    }

    private init(_ kafka: KafkaConfiguration, _ partitions: Int32) throws {
        directory = try TemporaryDirectory()
        self.kafka = kafka
        // Other runs may have used the same brokers.
        let name = "\(ProcessInfo.processInfo.processIdentifier).\(Self.last.add(1, ordering: .relaxed).newValue)"
        input = KafkaTopic(rawValue: "state.input.\(name)")
        output = KafkaTopic(rawValue: "state.output.\(name)")
        self.partitions = partitions
    }

    /// On Apache Kafka, with one partition.
    ///
    /// - Parameter settings: of the state's topic.
    static func onApacheKafka(_ settings: [String: String] = [:]) async throws -> StateHarness {
        let harness = try StateHarness(
            KafkaConfiguration(bootstrapServers: await ApacheKafka.shared().bootstrapServers), 1)
        try await harness.create([harness.input: [:], harness.output: settings])
        return harness
    }

    func create(_ topics: [KafkaTopic: [String: String]]) async throws {
        let admin = try KafkaAdmin(kafka)
        let failures = try await admin.createTopics(
            topics.map { KafkaNewTopic(topic: $0, partitions: 1, replicationFactor: 1, configuration: $1) })
        #expect(failures.isEmpty)
        for topic in topics.keys {
            try await waitUntil { (try? await admin.watermarks(of: topic).count) == 1 }
        }
        await admin.close(within: .seconds(5))
    }

    /// The ends of the state's only partition.
    func ends() async throws -> KafkaWatermarks? {
        let admin = try KafkaAdmin(kafka)
        let ends = try await admin.watermarks(of: output).values.first
        await admin.close(within: .seconds(5))
        return ends
    }

    func place(_ partition: Int32 = 0) -> KafkaTopicPartition {
        KafkaTopicPartition(topic: input, partition: KafkaPartition(rawValue: partition))
    }

    /// A member with a file of this name, started; it has no partition yet.
    func member(
        _ file: String = "state", model: NumberSetModel = NumberSetModel(), history: StateHistory? = nil,
        log: MemoryLogSink = MemoryLogSink()
    ) async throws -> KeyedState<NumberSetModel> {
        var layout = KeyedState<NumberSetModel>.Layout(path: directory.file(file), topics: [input: output])
        layout.tick = .milliseconds(20)
        layout.history = history
        let state = try KeyedState(
            layout, model: model, kafka: kafka,
            logger: Logger(label: "test", level: .debug, format: .json, sink: log), metrics: MetricsRegistry(),
            clocks: Clocks(
                wallMilliseconds: { self.now.load(ordering: .relaxed) },
                monotonicNanoseconds: Clocks.system.monotonicNanoseconds))
        try await state.start()
        return state
    }

    /// Everything the topic holds, oldest first.
    func published() async throws -> [KafkaRecord] {
        var offsets: [KafkaTopicPartition: KafkaOffset] = [:]
        for partition in 0..<partitions {
            offsets[KafkaTopicPartition(topic: output, partition: KafkaPartition(rawValue: partition))] = .beginning
        }
        var records: [KafkaRecord] = []
        try await KafkaConsumer.readToEnd(kafka, from: offsets, within: .seconds(20)) { records += $0 }
        return records
    }

    /// The topic's last word on each key.
    func lastWords() async throws -> [String: String] {
        var words: [String: String] = [:]
        for record in try await published() {
            words[String(decoding: record.key ?? [], as: UTF8.self)] = record.value.map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return words
    }

    /// Writes to the state's topic behind the members' backs.
    func write(_ key: String, _ value: [UInt8]?) async throws {
        try await StateTestBroker.write(
            [KafkaProducerRecord(topic: output, partition: 0, key: Array(key.utf8), value: value)], to: kafka)
    }
}

extension KeyedState<NumberSetModel> {
    /// The rows as text, sorted.
    func dump() throws -> [String] { try store.states().map { String(decoding: $0.text, as: UTF8.self) }.sorted() }

    func end() async { await stop(within: .seconds(5)) }
}
