import Kafka
import Testing

@testable import Archive

struct OpenLogsTests {
    @Test func `a partition belongs to this member from its assignment on, even if its log cannot be opened`() {
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
