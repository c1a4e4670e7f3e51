import Testing

@testable import Kafka

@Suite struct KafkaStatisticsTests {
    @Test func `brokers, queues and lag are parsed`() throws {
        let statistics = try #require(
            KafkaStatistics(
                json: """
                    {"name": "rdkafka#consumer-1", "msg_cnt": 3, "msg_size": 1500, "replyq": 2, "future": {"x": []},
                     "brokers": {
                       "b:1/1": {"name": "b:1/1", "nodeid": 1, "state": "UP", "source": "learned"},
                       "b:2/2": {"name": "b:2/2", "nodeid": 2, "state": "DOWN", "source": "learned"},
                       "boot": {"name": "b:1/bootstrap", "nodeid": -1, "state": "UP", "source": "configured"},
                       "g": {"name": "GroupCoordinator", "nodeid": 1, "state": "UP", "source": "logical"}},
                     "topics": {"t": {"partitions": {
                       "10": {"partition": 10, "fetchq_cnt": 0, "hi_offset": 5, "lo_offset": 0},
                       "2": {"partition": 2, "fetchq_cnt": 7, "hi_offset": 70, "lo_offset": 10, "consumer_lag": -1,
                             "consumer_lag_stored": 51, "committed_offset": -1001},
                       "-1": {"partition": -1}}}}}
                    """))
        #expect(statistics.client == "rdkafka#consumer-1")
        #expect(statistics.messageCount == 3)
        #expect(statistics.messageBytes == 1500)
        #expect(statistics.brokers.map(\.name) == ["b:1/1", "b:1/bootstrap", "b:2/2"])
        #expect(statistics.brokersUp == 2)
        #expect(statistics.partitions.map(\.topicPartition.partition) == [2, 10])
        let partition = statistics.partitions[0]
        #expect(partition.fetchQueueCount == 7)
        #expect(partition.lowOffset == 10)
        #expect(partition.highOffset == 70)
        #expect(partition.consumerLag == nil)
        #expect(partition.consumerLagStored == 51)
        #expect(partition.committedOffset == nil)
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"msg_cnt": "many"}"#, #"{"msg_cnt": 99999999999999999999}"#,
        #"{"brokers": {"b": {"nodeid": 3000000000}}}"#,
        #"{"topics": {"t": {"partitions": {"0": {"partition": 1e99}}}}}"#,
    ])
    func `any other text is not parsed`(json: String) {
        #expect(KafkaStatistics(json: json) == nil)
    }

    @Test func `an empty object yields empty statistics`() throws {
        let statistics = try #require(KafkaStatistics(json: "{}"))
        #expect(statistics.brokersUp == 0)
        #expect(statistics.partitions.isEmpty)
    }
}
