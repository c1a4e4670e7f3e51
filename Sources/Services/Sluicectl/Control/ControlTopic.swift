internal import Configuration
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Records
internal import Synchronization

/// Reads from and writes to the control topic.
struct ControlTopic {
    /// All records in effect, and the positions of invalid records.
    struct Content {
        var table = ControlTable()
        var ignored: [KafkaOffset] = []
    }

    let topic: KafkaTopic
    let admin: KafkaAdmin
    let kafka: KafkaConfiguration

    init(_ configuration: Configuration, _ admin: KafkaAdmin, _ kafka: KafkaConfiguration) {
        topic = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).control
        self.admin = admin
        self.kafka = kafka
    }

    /// - Throws: a ``StartupError`` if the topic does not exist or this user may not read it.
    func read() async throws -> Content {
        let content = Mutex(Content())
        let scan = try await TopicScan(topic, of: admin, with: kafka)
        try await scan.run { record in
            // Partitions are read in ascending order, and consumers read only this one.
            guard record.partition == ControlRecord.partition else { return false }
            content.withLock { content in
                do throws(ControlRecordError) {
                    try content.table.apply(record)
                } catch {
                    content.ignored.append(record.offset)
                }
            }
            return true
        }
        return content.withLock { $0 }
    }

    /// Writes a record, and returns once Kafka has acknowledged it.
    ///
    /// - Throws: a ``StartupError`` if this user may not write to the topic, or Kafka does not acknowledge the record.
    func write(_ record: ControlRecord, for group: KafkaConsumerGroup) async throws {
        let producer = try KafkaProducer(kafka, topics: [topic])
        do throws(KafkaError) {
            _ = try await producer.send(record.produced(to: topic, for: group), deadline: .seconds(30))
        } catch {
            await producer.close(within: .seconds(1))
            guard error.code == .topicAuthorizationFailed else {
                throw StartupError(
                    "Kafka did not acknowledge the record: \(error.message)", fix: "Run the command again")
            }
            throw StartupError(
                "this user may not write to topic \(topic)",
                fix: "Grant this user Read and Write on the topic: kafka-acls.sh --add --allow-principal User:NAME "
                    + "--operation Read --operation Write --topic \(topic)",
                exitCode: .configuration)
        }
        await producer.close(within: .seconds(5))
    }
}
