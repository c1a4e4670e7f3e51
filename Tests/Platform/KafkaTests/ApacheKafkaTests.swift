import Kafka
import TestSupport
import Testing

@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .serialized, .timeLimit(.minutes(10)))
struct ApacheKafkaTests {
    private func configuration(_ properties: [String: String] = [:]) async throws -> KafkaConfiguration {
        try KafkaConfiguration(bootstrapServers: await ApacheKafka.shared().bootstrapServers, properties: properties)
    }

    private func createTopic(partitions: Int, settings: [String: String] = [:]) async throws -> KafkaTopic {
        let topic = KafkaTopic.unique()
        let admin = try await KafkaAdmin(configuration())
        let new = KafkaNewTopic(topic: topic, partitions: partitions, replicationFactor: 1, configuration: settings)
        #expect(try await admin.createTopics([new]).isEmpty)
        // The broker's metadata may not include the topic yet when the call returns.
        try await waitUntil { try await admin.describeTopics([topic]).first?.partitions.count == partitions }
        await admin.close(within: .seconds(2))
        return topic
    }

    /// Sends numbered records with 50 different keys and stores each outcome in `outcomes`.
    private func send(_ numbers: Range<Int>, to topic: KafkaTopic, with producer: KafkaProducer, _ outcomes: Outcomes) {
        for number in numbers {
            let record = KafkaProducerRecord(
                topic: topic, key: Array("key-\(number % 50)".utf8), value: Array(String(number).utf8))
            producer.send(record, completion: outcomes.completion(number))
        }
    }

    private func numbersByKey(_ records: [KafkaRecord]) -> [[UInt8]?: [Int]] {
        Dictionary(grouping: records) { $0.key }
            .mapValues { $0.compactMap { Int(String(decoding: $0.value ?? [], as: UTF8.self)) } }
    }

    @Test func `every record is stored once, in the order of its key, at the reported offset`() async throws {
        let topic = try await createTopic(partitions: 6)
        let producer = try await KafkaProducer(configuration(), topics: [topic])
        #expect(await eventually { producer.status.isReady })
        let outcomes = Outcomes()
        send(0..<5000, to: topic, with: producer, outcomes)
        #expect(await eventually { outcomes.count == 5000 })
        #expect(outcomes.isEachAnsweredOnce)
        #expect(outcomes.delivered.count == 5000)
        let stored = try await records(of: topic, partitions: 6, at: configuration())
        #expect(stored.count == 5000)
        let byKey = numbersByKey(stored)
        #expect(byKey.count == 50)
        #expect(byKey.values.allSatisfy { $0 == $0.sorted() })
        for record in stored {
            let number = try #require(Int(String(decoding: record.value ?? [], as: UTF8.self)))
            let position = KafkaDelivery(topic: topic, partition: record.partition, offset: record.offset)
            #expect(try outcomes.all[number]?.first?.get() == position)
        }
        await producer.close(within: .seconds(5))
    }

    @Test(.enabled(if: ApacheKafka.isOurs, "\(ApacheKafka.faultAbsence)"))
    func `killing a broker loses and duplicates no acknowledged record`() async throws {
        let kafka = try await ApacheKafka.shared()
        let topic = try await createTopic(partitions: 6)
        let producer = try await KafkaProducer(
            configuration(["delivery.timeout.ms": "60000", "statistics.interval.ms": "500"]), topics: [topic])
        #expect(await eventually { producer.status.isReady })
        let outcomes = Outcomes()
        send(0..<1000, to: topic, with: producer, outcomes)
        async let restarting: Void = kafka.restart()
        send(1000..<3000, to: topic, with: producer, outcomes)
        try await restarting
        // The circuit breaker fails some of these sends until a probe has succeeded.
        #expect(await eventually(within: .seconds(30)) { producer.isAvailable })
        send(3000..<4000, to: topic, with: producer, outcomes)
        #expect(await eventually(within: .seconds(60)) { outcomes.count == 4000 })
        #expect(outcomes.isEachAnsweredOnce)
        let stored = try await records(of: topic, partitions: 6, at: configuration())
        let numbers = stored.compactMap { Int(String(decoding: $0.value ?? [], as: UTF8.self)) }
        #expect(Set(outcomes.delivered).subtracting(numbers).isEmpty)
        if producer.status.generation == 1 {
            #expect(numbers.count == Set(numbers).count)
            #expect(numbersByKey(stored).values.allSatisfy { $0 == $0.sorted() })
        }
        await producer.close(within: .seconds(5))
    }

    @Test func `with a missing topic, the producer is not ready and sends to the topic fail`() async throws {
        let producer = try await KafkaProducer(
            configuration(["topic.metadata.propagation.max.ms": "500"]), topics: ["does.not.exist"])
        let error = await #expect(throws: KafkaError.self) {
            try await producer.send(KafkaProducerRecord(topic: "does.not.exist", key: nil, value: [1]))
        }
        #expect(error.map { [.unknownTopic, .unknownTopicOrPartition].contains($0.code) } == true)
        #expect(error?.persistence == .no)
        #expect(!producer.status.isReady)
        #expect(producer.status.missingTopics == ["does.not.exist"])
        await producer.close(within: .seconds(1))
    }

    @Test func `topics are created with their settings and checked against expectations`() async throws {
        let topic = try await createTopic(
            partitions: 3, settings: ["cleanup.policy": "compact", "max.message.bytes": "2000000"])
        let admin = try await KafkaAdmin(configuration())
        #expect(try await !admin.isEmbeddedBroker())
        let again = KafkaNewTopic(topic: topic, partitions: 3, replicationFactor: 1)
        let wide = KafkaNewTopic(topic: .unique(), partitions: 1, replicationFactor: 100)
        let errors = try await admin.createTopics([again, wide])
        #expect(errors.mapValues(\.code) == [topic: .topicAlreadyExists, wide.topic: .invalidReplicationFactor])

        let description = try #require(try await admin.describeTopics([topic]).first)
        #expect(description.partitions.count == 3)
        #expect(description.replicationFactor == 1)
        #expect(description.configuration?["max.message.bytes"] == "2000000")

        var expectation = KafkaTopicExpectation(topic: topic)
        expectation.partitions = 3
        expectation.cleanupPolicy = "compact"
        expectation.maxMessageBytes = 2_000_000
        expectation.uncleanLeaderElection = false
        #expect(try await admin.checkTopics([expectation]).isEmpty)
        expectation.replicationFactor = 3
        expectation.minInSyncReplicas = 2
        expectation.cleanupPolicy = "delete"
        let findings = try await admin.checkTopics([expectation, KafkaTopicExpectation(topic: "does.not.exist")])
        #expect(findings.map(\.subject) == [.replicationFactor, .minInSyncReplicas, .cleanupPolicy, .missing])
        await admin.close(within: .seconds(2))
    }

    @Test func `groups and offsets are listed`() async throws {
        let topic = try await createTopic(partitions: 2)
        let producer = try await KafkaProducer(configuration(), topics: [topic])
        for number in 0..<3 {
            _ = try await producer.send(
                KafkaProducerRecord(topic: topic, partition: 1, key: nil, value: Array(String(number).utf8)))
        }
        let admin = try await KafkaAdmin(configuration())
        let places = [0, 1].map { KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: $0)) }
        #expect(try await admin.watermarks(of: topic).mapValues(\.high) == [places[0]: 0, places[1]: 3])
        #expect(try await admin.committedOffsets(of: "absent", partitions: places).isEmpty)
        let group = KafkaConsumerGroup(rawValue: "group.\(topic)")
        #expect(try await !admin.consumerGroups().contains { $0.group == group })
        try await admin.alterOffsets(of: group, to: [places[1]: 2])
        #expect(try await admin.consumerGroups().first { $0.group == group }?.state == "Empty")
        #expect(try await admin.committedOffsets(of: group, partitions: places) == [places[1]: 2])
        await admin.close(within: .seconds(2))
        await producer.close(within: .seconds(5))
    }
}
