internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Reconciliation
internal import Records

/// Writes operators' sweep requests as records in the reconciliation topic, where they outlive the command and any
/// member.
struct SweepRequests {
    let configuration: Configuration
    /// Timeout for the brokers' first response.
    let timeout: Duration

    /// - Throws: a `StartupError` if Kafka does not acknowledge the record.
    func write(_ sweep: Sweep) async throws {
        let topic = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).reconciliation(sweep.environment)
        let kafka = try await Brokers.connected(configuration, timeout) { _, kafka in kafka }
        let producer = try KafkaProducer(kafka, topics: [topic])
        let row = ReconciliationRow.sweep(sweep)
        do {
            _ = try await producer.send(
                KafkaProducerRecord(topic: topic, key: row.key, value: row.bytes), deadline: .seconds(30))
        } catch {
            await producer.close(within: .seconds(1))
            throw StartupError("Kafka did not acknowledge the record: \(error.message)", fix: "Run the command again")
        }
        await producer.close(within: .seconds(5))
    }
}
