import Foundation
import Kafka
import KafkaDevBroker
import Lifecycle
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing
import Tracing

@testable import PipelineRuntime

/// One broker for all pipeline tests, embedded unless `ApacheKafka.use` is active. Each test has a separate topic and
/// group.
enum PipelineTestBroker {
    private static let broker = Result { try DevBroker() }
    private static let lastNumber = Mutex(0)

    /// The properties of every client in a test on Apache Kafka.
    @TaskLocal static var properties: [String: String] = [:]

    static func shared() throws -> DevBroker { try broker.get() }

    static func configuration(_ properties: [String: String] = [:]) throws -> KafkaConfiguration {
        if let kafka = ApacheKafka.chosen {
            return try KafkaConfiguration(
                bootstrapServers: kafka.bootstrapServers, properties: properties.merging(Self.properties) { $1 })
        }
        return try KafkaConfiguration(
            bootstrapServers: shared().bootstrapServers, properties: properties, profile: .embedded)
    }

    /// Returns options with a new group and a new topic, and creates the dead-letter topic.
    static func options(partitions: Int = 1) async throws -> PipelineOptions {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        let name = ApacheKafka.chosen == nil ? "\(number)" : UUID().uuidString.lowercased()
        var options = PipelineOptions(
            group: KafkaConsumerGroup(rawValue: "group-\(name)"), topics: [KafkaTopic(rawValue: "input.\(name)")])
        options.firstBackoff = .milliseconds(2)
        options.maximumBackoff = .milliseconds(20)
        options.maximumAttempts = 3
        for topic in options.topics + options.deadLetterTopics { try await create(topic, partitions: partitions) }
        return options
    }

    private static func create(_ topic: KafkaTopic, partitions: Int) async throws {
        guard ApacheKafka.chosen != nil else { return try shared().createTopic(topic, partitions: partitions) }
        try await configuration().create([KafkaNewTopic(topic: topic, partitions: partitions, replicationFactor: 1)])
    }

    /// Writes `count` records. Each value is the record's number, there are `keys` different keys, and records with the
    /// same key are written in order.
    static func write(numbers count: Int, keys: Int, to topic: KafkaTopic) async throws {
        try await configuration().write(
            (0..<count).map { number in
                KafkaProducerRecord(
                    topic: topic, key: Array("key-\(number % keys)".utf8), value: Array("\(number)".utf8))
            })
    }

    /// Reads all records in the dead-letter topic of a group with one input.
    static func deadLetters(_ options: PipelineOptions, partitions: Int32 = 1) async throws -> [KafkaRecord] {
        try await configuration().records(of: options.deadLetterTopics, partitions: partitions)
    }
}

/// A pipeline whose handler is a closure, with its log and metrics.
final class PipelineHarness: Sendable {
    let pipeline: PipelineConsumer
    let metrics = MetricsRegistry()
    let log = MemoryLogSink()
    let handled = HandledOffsets()
    private let producer: KafkaProducer

    init(
        _ options: PipelineOptions, _ handler: PipelineHandler, properties: [String: String] = [:],
        reading kafka: KafkaConfiguration? = nil, pause: GroupPause? = nil, tracer: Tracer? = nil,
        sendDeadLetter: (@Sendable (KafkaProducerRecord) async throws -> Void)? = nil
    ) async throws {
        let broker = try PipelineTestBroker.configuration(properties)
        let producer = try KafkaProducer(broker, topics: options.deadLetterTopics)
        self.producer = producer
        pipeline = PipelineConsumer(
            kafka: kafka ?? broker, options: options, handler: handler,
            sendDeadLetter: sendDeadLetter ?? { _ = try await producer.send($0, deadline: .seconds(10)) },
            logger: Logger(label: "test", level: .debug, format: .json, sink: log), metrics: metrics,
            handled: handled, pause: pause, tracer: tracer)
        try await pipeline.start()
    }

    func stop(within limit: Duration = .seconds(10)) async {
        await pipeline.stop(within: limit)
        await producer.close(within: .seconds(5))
    }

    /// Returns the value of the first metric line with this prefix.
    func metric(_ start: String) -> Double? { metrics.values(start).first }
}

/// A single-record handler that records its input.
final class RecordingHandler: RecordHandler {
    private let notes = Mutex<[KafkaRecord]>([])
    private let body: @Sendable (KafkaRecord, Int) async throws -> HandlerVerdict
    private let calls = Mutex<[KafkaOffset: Int]>([:])

    /// Creates a handler. `body` receives the record and the number of calls for it, including this one.
    init(_ body: @escaping @Sendable (KafkaRecord, Int) async throws -> HandlerVerdict = { _, _ in .done }) {
        self.body = body
    }

    /// Records in the order in which the handler finished them.
    var finished: [KafkaRecord] { notes.withLock { $0 } }
    func calls(for offset: KafkaOffset) -> Int { calls.withLock { $0[offset] ?? 0 } }

    func handle(_ record: KafkaRecord) async throws -> HandlerVerdict {
        let number = calls.withLock { calls in
            calls[record.offset, default: 0] += 1
            return calls[record.offset] ?? 0
        }
        let verdict = try await body(record, number)
        if verdict == .done { notes.withLock { $0.append(record) } }
        return verdict
    }
}

/// A batch handler that calls a closure.
struct BatchClosure: BatchHandler {
    let body: @Sendable ([KafkaRecord]) async throws -> [HandlerVerdict]

    func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] { try await body(records) }
}

extension KafkaRecord {
    var number: Int? { value.flatMap { Int(String(decoding: $0, as: UTF8.self)) } }
}
