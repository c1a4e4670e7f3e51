package import Kafka

extension KafkaConfiguration {
    /// Writes records in order, awaiting each acknowledgement.
    package func write(_ records: [KafkaProducerRecord]) async throws {
        let producer = try KafkaProducer(self, topics: Array(Set(records.map(\.topic))))
        for record in records { _ = try await producer.send(record, deadline: .seconds(20)) }
        await producer.close(within: .seconds(5))
    }

    /// Creates topics on Apache Kafka.
    package func create(_ topics: [KafkaNewTopic]) async throws {
        let admin = try KafkaAdmin(self)
        let failures = try await admin.createTopics(topics)
        await admin.close(within: .seconds(5))
        if let failure = failures.first?.value { throw failure }
    }

    /// Reads all records of these topics, each with this number of partitions.
    package func records(of topics: [KafkaTopic], partitions: Int32) async throws -> [KafkaRecord] {
        var offsets: [KafkaTopicPartition: KafkaOffset] = [:]
        for topic in topics {
            for partition in 0..<partitions {
                offsets[KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: partition))] = .beginning
            }
        }
        var records: [KafkaRecord] = []
        try await KafkaConsumer.readToEnd(self, from: offsets, within: .seconds(20)) { records += $0 }
        return records
    }
}
