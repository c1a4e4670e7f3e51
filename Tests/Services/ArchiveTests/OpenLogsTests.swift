import Kafka
import Testing

@testable import Archive

struct OpenLogsTests {
    @Test func `a partition is this member's from its assignment on, also while its log cannot be opened`() {
        let logs = OpenLogs()
        let partition = KafkaTopicPartition(topic: "appstore.erasures", partition: 0)
        #expect(!logs.isAssigned(partition))
        logs.assign(partition)
        #expect(logs.isAssigned(partition))
        #expect(logs.partitions.isEmpty && logs.committedSize(of: partition) == nil)
        logs.close(partition)
        #expect(!logs.isAssigned(partition))
    }
}
