import Foundation
import Kafka
import KafkaDevBroker
import Lifecycle
import TestSupport
import Testing

@testable import ServiceKit

/// New topics with incomplete metadata, and missing topics.
@Suite(.timeLimit(.minutes(5))) struct TopicPreflightTests {
    private let topic = KafkaTopicDescription(topic: "a", partitions: [], configuration: nil)

    private func settled(
        limit: Duration = .seconds(20), timeout: Duration = .milliseconds(50),
        _ answer: (_ question: Int) throws(KafkaError) -> [KafkaTopicDescription]
    ) async throws(KafkaError) -> (found: [KafkaTopicDescription], questions: Int) {
        var questions = 0
        let settled = SettledTopics(limit: limit, timeout: timeout, pause: .milliseconds(1))
        let found = try await settled.descriptions { _ throws(KafkaError) in
            questions += 1
            return try answer(questions)
        } until: {
            !$0.isEmpty
        }
        return (found, questions)
    }

    @Test(arguments: [KafkaError.Code(rawValue: 5), .notLeader, .unknownTopicOrPartition])
    func `transient broker errors are retried`(code: KafkaError.Code) async throws {
        let (found, questions) = try await settled { question throws(KafkaError) in
            if question < 4 { throw KafkaError(code, "describe") }
            return [topic]
        }
        #expect(found == [topic])
        #expect(questions == 4)
    }

    @Test func `a permanent error is reported immediately`() async {
        var questions = 0
        let error = await #expect(throws: KafkaError.self) {
            try await settled { question throws(KafkaError) in
                questions = question
                throw KafkaError(.topicAuthorizationFailed, "describe")
            }
        }
        #expect(error?.code == .topicAuthorizationFailed)
        #expect(questions == 1)
    }

    @Test func `a transient error that persists is reported at the timeout`() async {
        let error = await #expect(throws: KafkaError.self) {
            try await settled(limit: .milliseconds(20)) { _ throws(KafkaError) in
                throw KafkaError(.notLeader, "describe")
            }
        }
        #expect(error?.code == .notLeader)
    }

    @Test func `a topic that appears during the wait is found`() async throws {
        let (found, questions) = try await settled(timeout: .seconds(20)) { question throws(KafkaError) in
            question < 3 ? [] : [topic]
        }
        #expect(found == [topic])
        #expect(questions == 3)
    }

    @Test(
        arguments: [
            (.topicAuthorizationFailed, true), (.clusterAuthorizationFailed, true), (.requestTimedOut, false),
            (.notLeader, false), (KafkaError.Code(rawValue: 35), false),
        ] as [(KafkaError.Code, Bool)])
    func `only an error about a missing right names the rights to grant`(code: KafkaError.Code, isDenied: Bool) throws {
        let kafka = try KafkaConfiguration(bootstrapServers: "kafka-1:9092")
        let error = TopicPreflight.noAnswer(KafkaError(code, "describe"), kafka)
        #expect(error.fix.contains("sluicectl topics acls") == isDenied, "\(error)")
        #expect(error.fix.contains("version of the brokers") == !isDenied, "\(error)")
        #expect(error.exitCode == (isDenied ? ExitCode.configuration : ExitCode.failure))
    }

    @Test func `a missing topic is rejected soon, but only after a second query`() async throws {
        let broker = try DevBroker()
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let begun = ContinuousClock.now
        let error = await #expect(throws: StartupError.self) {
            try await TopicPreflight.run(
                kafka, topics: [KafkaTopicExpectation(topic: "never.made")],
                profile: .singleNode)
        }
        #expect(error?.line.contains("topic never.made does not exist") == true)
        #expect(error?.exitCode == .configuration)
        #expect(ContinuousClock.now - begun > .seconds(1))
        await broker.stop()
    }

    @Test func `a topic that is created during startup does not prevent the start`() async throws {
        let broker = try DevBroker()
        let topic: KafkaTopic = "made.late"
        let configuration = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        // The first request may run before or after the topic is created.
        async let outcome = TopicPreflight.run(
            configuration, topics: [KafkaTopicExpectation(topic: topic)], profile: .singleNode)
        let admin = try KafkaAdmin(configuration)
        #expect(try await admin.describeTopics([topic]).isEmpty)
        try broker.createTopic(topic, partitions: 1)
        #expect(try await outcome.isEmbeddedBroker)
        await admin.close(within: .seconds(1))
        await broker.stop()
    }

    @Test func `production requires more than the settings a topic was created with, single-node less`() {
        let eightDays: Int64? = 8 * 86_400_000
        var expectation = KafkaTopicExpectation(
            topic: "a",
            createdWith: ["cleanup.policy": "delete", "retention.ms": "2592000000", "max.message.bytes": "1000"])
        #expect(expectation.retentionMilliseconds == eightDays)
        expectation.partitions = 3
        let production = expectation.required(by: .production)
        #expect(production.replicationFactor == 3)
        #expect(production.minInSyncReplicas == 2)
        #expect(production.uncleanLeaderElection == false)
        #expect(production.retentionMilliseconds == eightDays)
        let single = expectation.required(by: .singleNode)
        #expect(single.replicationFactor == nil)
        #expect(single.retentionMilliseconds == nil)
        #expect(single.partitions == 3)
        #expect(single.maxMessageBytes == 1000)
        #expect(single.cleanupPolicy == "delete")
    }

    @Test func `a short retention of tombstones is reported and does not prevent the start`() {
        let expectation = KafkaTopicExpectation(
            topic: "a", createdWith: ["cleanup.policy": "compact", "delete.retention.ms": "3888000000"])
        var topic = KafkaTopicDescription(
            topic: "a", partitions: [], configuration: ["cleanup.policy": "compact", "delete.retention.ms": "86400000"])
        #expect(expectation.required(by: .singleNode).findings(in: topic).isEmpty)
        #expect(!expectation.required(by: .production).findings(in: topic).contains { $0.subject == .deleteRetention })
        #expect(
            expectation.advised.findings(in: topic).map(\.description) == [
                "topic a: delete.retention.ms is 86400000, expected at least 3888000000"
            ])
        topic = KafkaTopicDescription(
            topic: "a", partitions: [],
            configuration: ["cleanup.policy": "compact", "delete.retention.ms": "3888000000"])
        #expect(expectation.advised.findings(in: topic).isEmpty)
    }

    @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
    func `Apache Kafka's state topic must be compacted, and a short retention of its tombstones is reported`()
        async throws
    {
        let name = UUID().uuidString.lowercased()
        let state = KafkaTopic(rawValue: "state.\(name)")
        let input = KafkaTopic(rawValue: "input.\(name)")
        let kafka = try KafkaConfiguration(bootstrapServers: await ApacheKafka.shared().bootstrapServers)
        let admin = try KafkaAdmin(kafka)
        let settings = ["cleanup.policy": "compact", "delete.retention.ms": "86400000"]
        let failures = try await admin.createTopics([
            KafkaNewTopic(topic: state, partitions: 1, replicationFactor: 1, configuration: settings),
            KafkaNewTopic(topic: input, partitions: 1, replicationFactor: 1),
        ])
        #expect(failures.isEmpty)
        for topic in [state, input] {
            try await waitUntil { (try? await admin.watermarks(of: topic).count) == 1 }
        }
        await admin.close(within: .seconds(5))
        let created = ["cleanup.policy": "compact", "delete.retention.ms": "3888000000"]
        func check(_ topic: KafkaTopic) async throws -> TopicPreflight.Outcome {
            try await TopicPreflight.run(
                kafka, topics: [KafkaTopicExpectation(topic: topic, createdWith: created)], profile: .singleNode)
        }
        let advice = try await check(state).advice
        #expect(advice.count == 1)
        for part in [
            "\(state)", "86400000", "at least 3888000000", "kafka-configs.sh",
            "--add-config delete.retention.ms=3888000000",
        ] {
            #expect(advice.first?.contains(part) == true, "\(part)")
        }
        // The input topic is not compacted.
        let refusal = await #expect(throws: StartupError.self) { _ = try await check(input) }
        #expect(refusal?.exitCode == .configuration)
        #expect(refusal?.line.contains("cleanup.policy is delete, expected compact") == true)
        #expect(refusal?.line.contains("--add-config cleanup.policy=compact") == true)
    }

    @Test(arguments: [("-1", 8 * 86_400_000), ("86400000", 86_400_000), ("x", nil)] as [(String, Int64?)])
    func `the required retention is at most eight days`(setting: String, demanded: Int64?) {
        let expectation = KafkaTopicExpectation(topic: "a", createdWith: ["retention.ms": setting])
        #expect(expectation.retentionMilliseconds == demanded)
    }
}
