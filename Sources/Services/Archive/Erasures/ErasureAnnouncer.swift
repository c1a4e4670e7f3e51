internal import ArchiveLog
internal import Kafka
internal import Synchronization

/// Publishes erasures and retention steps to the erasures topic. Its producer is created on first use.
final class ErasureAnnouncer: Sendable {
    private let kafka: KafkaConfiguration
    private let topic: KafkaTopic
    private let producer = Mutex<KafkaProducer?>(nil)

    init(kafka: KafkaConfiguration, topic: KafkaTopic) {
        self.kafka = kafka
        self.topic = topic
    }

    /// Publishes a record. Returns once all in-sync replicas have stored it.
    func publish(_ record: ErasureRecord) async throws { try await send(record.produced(to: topic)) }

    /// Publishes a record. Returns once all in-sync replicas have stored it.
    func publish(_ record: RetentionRecord) async throws { try await send(record.produced(to: topic)) }

    private func send(_ record: KafkaProducerRecord) async throws {
        let producer = try producer.withLock { producer in
            if let producer { return producer }
            let made = try KafkaProducer(kafka, topics: [topic])
            producer = made
            return made
        }
        _ = try await producer.send(record, deadline: .seconds(30))
    }

    func close(within limit: Duration) async { await producer.withLock { $0.take() }?.close(within: limit) }
}
