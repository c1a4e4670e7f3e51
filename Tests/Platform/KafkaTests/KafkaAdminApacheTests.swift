import Kafka
import TestSupport
import Testing

extension ApacheKafkaTests {
    /// Uses a separate cluster, because only a new one has no group coordinator yet.
    @Test(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)"))
    func `a new cluster returns a group's committed offsets and accepts altered ones`() async throws {
        let cluster = try await ApacheKafka.start()
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: cluster.bootstrapServers))
        let topic = KafkaTopic.unique()
        let place = KafkaTopicPartition(topic: topic, partition: 0)
        let group = KafkaConsumerGroup(rawValue: "new")
        let failures = try await admin.createTopics([
            KafkaNewTopic(topic: topic, partitions: 1, replicationFactor: 1)
        ])
        #expect(failures.isEmpty)
        // At this point, no broker leads the partition or coordinates the group yet.
        #expect(try await admin.watermarks(of: topic)[place]?.high == 0)
        #expect(try await admin.committedOffsets(of: group, partitions: [place], within: .seconds(60)) == [:])
        try await admin.alterOffsets(of: group, to: [place: 0])
        #expect(try await admin.committedOffsets(of: group, partitions: [place]) == [place: 0])
        await admin.close(within: .seconds(2))
        try await cluster.stop()
    }
}
