internal import ArchiveFormat
internal import Kafka
internal import Synchronization

/// Publishes what the retention does in the erasures topic; its producer is made when the first record comes.
final class RetentionAnnouncer: Sendable {
    private let kafka: KafkaConfiguration
    private let topic: KafkaTopic
    private let producer = Mutex<KafkaProducer?>(nil)

    init(kafka: KafkaConfiguration, topic: KafkaTopic) {
        self.kafka = kafka
        self.topic = topic
    }

    /// Returns when every in-sync replica has it.
    func publish(_ record: RetentionRecord) async throws {
        let producer = try producer.withLock { producer in
            if let producer { return producer }
            let made = try KafkaProducer(kafka, topics: [topic])
            producer = made
            return made
        }
        _ = try await producer.send(record.produced(to: topic), deadline: .seconds(30))
    }

    func close(within limit: Duration) async { await producer.withLock { $0.take() }?.close(within: limit) }
}
