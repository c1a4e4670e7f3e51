internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records

/// Writes decisions about persons and reveal records to the erasures topic, and findings to the operator events topic.
package struct RecordPublishing: Sendable {
    /// Publishes the records and returns once every in-sync replica has them.
    let publish:
        @Sendable (_ records: [KafkaProducerRecord], _ configuration: Configuration, _ timeout: Duration) async throws
            -> Void

    /// Publishes to the records' topics, on the installation's cluster.
    package static let kafka = RecordPublishing { records, configuration, timeout in
        let topics = Set(records.map(\.topic)).sorted { $0.rawValue < $1.rawValue }
        let kafka = try await Brokers.connected(configuration, timeout) { _, kafka in kafka }
        let producer = try KafkaProducer(kafka, topics: topics)
        do throws(KafkaError) {
            for record in records { _ = try await producer.send(record, deadline: .seconds(30)) }
        } catch {
            await producer.close(within: .seconds(1))
            throw StartupError(
                "Kafka did not acknowledge the record: \(error.message)",
                fix: "Nothing was changed on this host; run the command again")
        }
        await producer.close(within: .seconds(5))
    }
}
