import Kafka
import KafkaDevBroker
import Synchronization
import TestSupport
import Testing

/// An embedded broker shared by all consumer tests, because starting and stopping one takes a second. Each test has its
/// own topics and groups.
enum ConsumerTestBroker {
    private static let broker = Result { try DevBroker() }
    private static let lastTopic = Mutex(0)

    static func shared() throws -> DevBroker { try broker.get() }

    /// Creates a topic for one test.
    static func topic(partitions: Int) throws -> KafkaTopic {
        let number = lastTopic.withLock { number in
            number += 1
            return number
        }
        let topic = KafkaTopic(rawValue: "consumer.test.\(number)")
        try shared().createTopic(topic, partitions: partitions)
        return topic
    }

    static func configuration(_ properties: [String: String] = [:]) throws -> KafkaConfiguration {
        try KafkaConfiguration(
            bootstrapServers: shared().bootstrapServers, properties: properties, profile: .embedded)
    }

    /// Writes records in order, awaiting each acknowledgement.
    static func write(_ records: [KafkaProducerRecord]) async throws {
        let producer = try KafkaProducer(configuration(), topics: Array(Set(records.map(\.topic))))
        for record in records { _ = try await producer.send(record, deadline: .seconds(10)) }
        await producer.close(within: .seconds(5))
    }

    /// Creates `count` records with their numbers as values and with `keys` different keys.
    static func numbered(
        _ count: Int, topic: KafkaTopic, partition: KafkaPartition? = nil, keys: Int = 1, from first: Int = 0
    ) -> [KafkaProducerRecord] {
        (first..<first + count).map { number in
            KafkaProducerRecord(
                topic: topic, partition: partition, key: Array("key-\(number % keys)".utf8),
                value: Array("\(number)".utf8))
        }
    }
}

/// A started consumer that records its events.
final class ConsumerHarness: Sendable {
    struct Notes {
        var assigned: [KafkaAssignedPartition] = []
        var revoking: [KafkaTopicPartition] = []
        var lost: [KafkaTopicPartition] = []
        var errors: [KafkaError] = []
        var outOfRange: [KafkaTopicPartition] = []
        var damaged: [(partition: KafkaTopicPartition, offset: KafkaOffset)] = []
        var resets: [(expected: KafkaOffset, found: KafkaOffset)] = []
        var statistics: [KafkaStatistics] = []
        var drainLimitExceeded = 0
        var commitFailures = 0
    }

    let consumer: KafkaConsumer
    private let notes: NotesBox

    private final class NotesBox: Sendable {
        let notes = Mutex(Notes())
    }

    /// Starts a consumer on the shared broker, unless `bootstrapServers` is given.
    init(
        _ source: KafkaConsumer.Source, properties: [String: String] = [:],
        options: KafkaConsumer.Options = KafkaConsumer.Options(), bootstrapServers: String? = nil,
        profile: KafkaConfiguration.Profile = .embedded
    ) async throws {
        let box = NotesBox()
        notes = box
        let configuration = try KafkaConfiguration(
            bootstrapServers: bootstrapServers ?? ConsumerTestBroker.shared().bootstrapServers, properties: properties,
            profile: profile)
        consumer = KafkaConsumer(configuration, source: source, options: options) { event in
            box.notes.withLock { $0.add(event) }
        }
        try await consumer.start()
    }

    var noted: Notes { notes.notes.withLock { $0 } }

    /// Waits until `count` partitions are assigned and not revoked, and returns them.
    func assigned(_ count: Int, within limit: Duration = .seconds(20)) async throws -> [KafkaAssignedPartition] {
        try await waitUntil(within: limit) { self.noted.assigned.count(where: \.isActive) == count }
        return noted.assigned.filter(\.isActive).sorted { $0.topicPartition.partition < $1.topicPartition.partition }
    }

    /// Reads `count` records from a partition.
    static func read(_ count: Int, of partition: KafkaAssignedPartition) async throws -> [KafkaRecord] {
        var records: [KafkaRecord] = []
        while records.count < count {
            let next = try #require(await partition.next(maxRecords: count - records.count), "the partition ended")
            records += next
        }
        return records
    }
}

extension ConsumerHarness.Notes {
    fileprivate mutating func add(_ event: KafkaConsumerEvent) {
        switch event {
        case .assigned(let partitions): assigned += partitions
        case .revoking(let partitions): revoking += partitions.map(\.topicPartition)
        case .lost(let partitions): lost += partitions.map(\.topicPartition)
        case .drainLimitExceeded: drainLimitExceeded += 1
        case .offsetOutOfRange(let place, _): outOfRange.append(place)
        case .damaged(let place, let offset, _): damaged.append((place, offset))
        case .offsetReset(_, let expected, let found): resets.append((expected, found))
        case .commitFailed: commitFailures += 1
        case .error(let error), .fatal(let error): errors.append(error)
        case .statistics(let report): statistics.append(report)
        case .log: break
        }
    }
}

extension KafkaRecord {
    /// The value as text; `nil` for a tombstone.
    var text: String? { value.map { String(decoding: $0, as: UTF8.self) } }
}
