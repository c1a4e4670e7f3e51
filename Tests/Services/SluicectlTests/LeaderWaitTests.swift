import Kafka
import Testing

@testable import Sluicectl

/// `topics apply` waits until the new topics are writable.
@Suite(.timeLimit(.minutes(5))) struct LeaderWaitTests {
    private let topics = [KafkaNewTopic(topic: "a", partitions: 2, replicationFactor: 1)]

    private func description(leaders: [Int32?]) -> KafkaTopicDescription {
        KafkaTopicDescription(
            topic: "a",
            partitions: leaders.enumerated().map {
                .init(
                    partition: KafkaPartition(rawValue: Int32($0.offset)), leader: $0.element, replicas: [1],
                    inSyncReplicas: [1])
            }, configuration: [:])
    }

    @Test func `the wait ends when each partition has a leader`() async {
        let answers = [
            [], [description(leaders: [])], [description(leaders: [1, nil])], [description(leaders: [1, 1])],
        ]
        var questions = 0
        let leaderless = await LeaderWait.leaderless(topics) { names, _ throws(KafkaError) in
            #expect(names == ["a"])
            questions += 1
            return answers[questions - 1]
        }
        #expect(leaderless.isEmpty)
        #expect(questions == 4)
    }

    @Test func `the query is repeated after a transient error`() async {
        var questions = 0
        let leaderless = await LeaderWait.leaderless(topics) { _, _ throws(KafkaError) in
            questions += 1
            if questions == 1 { throw KafkaError(.unknownTopicOrPartition, "describe settings of a") }
            return [description(leaders: [1, 1])]
        }
        #expect(leaderless.isEmpty)
    }

    @Test func `missing topics and leaders are reported after the time limit`() async {
        let missing = await LeaderWait.leaderless(topics, within: .milliseconds(20)) { _, _ throws(KafkaError) in [] }
        #expect(missing["a"]?.contains("not yet known to every broker") == true)
        let leaderless = await LeaderWait.leaderless(topics, within: .milliseconds(20)) { _, _ throws(KafkaError) in
            [description(leaders: [1, nil])]
        }
        #expect(leaderless["a"]?.contains("1 of 2 partitions have no leader") == true)
        let refused = await LeaderWait.leaderless(topics) { _, _ throws(KafkaError) in
            throw KafkaError(.topicAuthorizationFailed, "describe settings of a")
        }
        #expect(refused["a"]?.contains("TOPIC_AUTHORIZATION_FAILED") == true)
    }

    @Test func `without created topics no query is sent`() async {
        let leaderless = await LeaderWait.leaderless([]) { _, _ throws(KafkaError) in
            Issue.record("asked")
            return []
        }
        #expect(leaderless.isEmpty)
    }
}
