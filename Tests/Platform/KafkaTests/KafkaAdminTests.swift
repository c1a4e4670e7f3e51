import Kafka
import KafkaDevBroker
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct KafkaAdminTests {
    @Test func `the embedded broker is detected and not queried for unsupported features`() async throws {
        let broker = try DevBroker(topics: ["a": 2])
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded))
        #expect(try await admin.isEmbeddedBroker())
        let create = await #expect(throws: KafkaError.self) {
            try await admin.createTopics([KafkaNewTopic(topic: "b", partitions: 1, replicationFactor: 1)])
        }
        #expect(create?.code == .notOnEmbeddedBroker)
        let groups = await #expect(throws: KafkaError.self) { try await admin.consumerGroups() }
        #expect(groups?.code == .notOnEmbeddedBroker)
        await admin.close(within: .seconds(2))
        await broker.stop()
    }

    @Test func `describing a topic does not create it`() async throws {
        let broker = try DevBroker(topics: ["a": 2])
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded))
        #expect(try await admin.describeTopics(["a", "b"]).map(\.topic) == ["a"])
        #expect(try await admin.describeTopics(["b"]).isEmpty)
        var expectation = KafkaTopicExpectation(topic: "a")
        expectation.partitions = 3
        let findings = try await admin.checkTopics([expectation, KafkaTopicExpectation(topic: "b")])
        #expect(findings.map(\.subject) == [.partitionCount, .missing])
        await admin.close(within: .seconds(2))
        await broker.stop()
    }

    @Test func `watermarks and committed offsets are read from the embedded broker`() async throws {
        let harness = try EmbeddedHarness(partitions: 2)
        for number in 0..<5 {
            var record = harness.record(number)
            record.partition = 1
            _ = try await harness.producer.send(record)
        }
        let admin = try KafkaAdmin(harness.configuration)
        let places = [0, 1].map { KafkaTopicPartition(topic: harness.topic, partition: KafkaPartition(rawValue: $0)) }
        let watermarks = try await admin.watermarks(of: harness.topic)
        #expect(watermarks.mapValues(\.high) == [places[0]: 0, places[1]: 5])
        #expect(watermarks.mapValues(\.low) == [places[0]: 0, places[1]: 0])
        #expect(try await admin.committedOffsets(of: "nobody", partitions: places).isEmpty)
        #expect(try await admin.committedOffsets(of: "nobody", partitions: []).isEmpty)
        let missing = await #expect(throws: KafkaError.self) { try await admin.watermarks(of: "none") }
        #expect(missing?.code == .unknownTopic)
        await admin.close(within: .seconds(2))
        await harness.close()
    }

    @Test func `one request returns the ends of many partitions and reports missing ones`() async throws {
        let broker = try DevBroker(topics: ["a": 40, "b": 3])
        let configuration = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let producer = try KafkaProducer(configuration, topics: ["a"])
        for number in [7, 7, 39] {
            _ = try await producer.send(
                KafkaProducerRecord(
                    topic: "a", partition: KafkaPartition(rawValue: Int32(number)), key: nil, value: [1]))
        }
        func place(_ topic: KafkaTopic, _ number: Int32) -> KafkaTopicPartition {
            KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: number))
        }
        let known = (0..<40).map { place("a", $0) } + (0..<3).map { place("b", $0) }
        let missing = [place("a", 40), place("none", 0)]
        let admin = try KafkaAdmin(configuration)
        let answers = Mutex<[KafkaAdmin.Ends]>([])
        await admin.ends(of: Set(known + missing), within: .seconds(10)) { ends in answers.withLock { $0.append(ends) }
        }
        let all = answers.withLock { $0 }.flatMap { $0.map { $0 } }
        #expect(all.count == known.count + missing.count)
        for (place, result) in all {
            guard known.contains(place) else {
                #expect(throws: KafkaError.self, "\(place)") { try result.get() }
                continue
            }
            let expected: KafkaOffset = place == known[7] ? 2 : place == known[39] ? 1 : 0
            #expect(try result.get().low == 0)
            #expect(try result.get().high == expected)
        }
        await admin.close(within: .seconds(2))
        await producer.close(within: .seconds(2))
        await broker.stop()
    }

    @Test func `without a broker, a call ends at its timeout`() async throws {
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: "127.0.0.1:1"))
        await #expect(throws: KafkaError.self) { try await admin.clusterId(within: .milliseconds(200)) }
        await #expect(throws: KafkaError.self) { try await admin.describeTopics(within: .milliseconds(200)) }
        await admin.close(within: .seconds(2))
        let closed = await #expect(throws: KafkaError.self) { try await admin.clusterId(within: .milliseconds(200)) }
        #expect(closed?.code == .closed)
    }
}
