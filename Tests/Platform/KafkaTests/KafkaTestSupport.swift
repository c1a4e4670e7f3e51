import Foundation
import Kafka
import KafkaDevBroker
import Synchronization
import Testing

/// The outcomes of numbered sends. If a send has several outcomes, all are recorded, so that tests detect this.
final class Outcomes: Sendable {
    typealias Outcome = Result<KafkaDelivery, KafkaError>

    private let outcomes = Mutex<[Int: [Outcome]]>([:])

    /// Returns the completion handler for send `number`.
    func completion(_ number: Int) -> @Sendable (Outcome) -> Void {
        { outcome in self.outcomes.withLock { $0[number, default: []].append(outcome) } }
    }

    var all: [Int: [Outcome]] { outcomes.withLock { $0 } }
    var count: Int { outcomes.withLock { $0.count } }
    var delivered: [Int] {
        all.filter { if case .success? = $0.value.first { true } else { false } }.keys.sorted()
    }
    var errors: [KafkaError] {
        all.values.compactMap { if case .failure(let error)? = $0.first { error } else { nil } }
    }
    var isEachAnsweredOnce: Bool { all.values.allSatisfy { $0.count == 1 } }
}

/// Collects the events of a client.
final class Events: Sendable {
    private let events = Mutex<[KafkaClientEvent]>([])

    var receive: @Sendable (KafkaClientEvent) -> Void { { event in self.events.withLock { $0.append(event) } } }
    var all: [KafkaClientEvent] { events.withLock { $0 } }
}

extension KafkaTopic {
    /// Returns a topic that no other test uses.
    static func unique(_ name: String = "test") -> KafkaTopic {
        KafkaTopic(rawValue: "\(name).\(UUID().uuidString.lowercased())")
    }
}

/// Reads all records of a topic, partition by partition, in log order.
func records(
    of topic: KafkaTopic, partitions: Int, at configuration: KafkaConfiguration
) async throws -> [KafkaRecord] {
    var all: [KafkaRecord] = []
    var offsets: [KafkaTopicPartition: KafkaOffset] = [:]
    for partition in 0..<partitions {
        offsets[KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: Int32(partition)))] = .beginning
    }
    try await KafkaConsumer.readToEnd(configuration, from: offsets, within: .seconds(30)) { all += $0 }
    return all
}

/// An embedded broker with a topic and a producer.
struct EmbeddedHarness {
    let broker: DevBroker
    let topic: KafkaTopic
    let partitions: Int
    let events = Events()
    let configuration: KafkaConfiguration
    let producer: KafkaProducer

    /// Creates a harness. `properties` apply to the producer, which by default has only one request in flight, because
    /// the mock broker does not deduplicate.
    init(
        partitions: Int = 4, brokers: Int = 1, properties: [String: String] = [:],
        options: KafkaProducer.Options = KafkaProducer.Options()
    ) throws {
        self.partitions = partitions
        topic = .unique()
        broker = try DevBroker(topics: [topic: partitions], brokers: brokers)
        configuration = try KafkaConfiguration(
            bootstrapServers: broker.bootstrapServers,
            properties: ["max.in.flight.requests.per.connection": "1"].merging(properties) { $1 }, profile: .embedded)
        producer = try KafkaProducer(configuration, topics: [topic], options: options, onEvent: events.receive)
    }

    /// Creates a record with this number as its value.
    func record(_ number: Int, key: String? = nil) -> KafkaProducerRecord {
        KafkaProducerRecord(topic: topic, key: key.map { Array($0.utf8) }, value: Array(String(number).utf8))
    }

    /// Returns the numbers stored in the topic, by partition and in log order.
    func storedNumbers() async throws -> [Int] {
        try await records(of: topic, partitions: partitions, at: configuration)
            .compactMap { $0.value.flatMap { Int(String(decoding: $0, as: UTF8.self)) } }
    }

    func close() async {
        await producer.close(within: .seconds(5))
        await broker.stop()
    }
}
