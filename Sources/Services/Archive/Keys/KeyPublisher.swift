internal import ArchiveKeys
internal import Kafka
internal import Synchronization
internal import Telemetry

/// Publishes records to the keys topic. Its producer is created on first use.
final class KeyPublisher: Sendable {
    private let kafka: KafkaConfiguration
    private let topic: KafkaTopic
    private let keys: KeyStore
    private let metrics: KeyTopicMetrics
    private let producer = Mutex<KafkaProducer?>(nil)

    init(kafka: KafkaConfiguration, topic: KafkaTopic, keys: KeyStore, metrics: KeyTopicMetrics) {
        self.kafka = kafka
        self.topic = topic
        self.keys = keys
        self.metrics = metrics
    }

    /// Publishes records. Returns the offset after the last one once all in-sync replicas have stored all of them, or
    /// nil if there are no records.
    @discardableResult
    func publish(_ records: [ArchiveKeyRecord]) async throws -> Int64? {
        guard !records.isEmpty else { return nil }
        let producer = try producer.withLock { producer in
            if let producer { return producer }
            let made = try KafkaProducer(kafka, topics: [topic])
            producer = made
            return made
        }
        let last = try await withThrowingTaskGroup(of: Int64.self) { group in
            for record in records {
                let produced = record.produced(to: topic)
                group.addTask { try await producer.send(produced, deadline: .seconds(30)).offset.rawValue }
            }
            return try await group.reduce(-1, max)
        }
        try keys.acknowledge(records)
        metrics.published.increment(by: UInt64(records.count))
        return last + 1
    }

    func close(within limit: Duration) async { await producer.withLock { $0.take() }?.close(within: limit) }
}
