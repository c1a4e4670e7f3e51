import Kafka
import KafkaDevBroker
import Testing

@Suite(.timeLimit(.minutes(5))) struct DevBrokerTests {
    @Test func `topics have the requested number of partitions`() async throws {
        let broker = try DevBroker(topics: ["a": 3, "b": 12], brokers: 3)
        #expect(broker.bootstrapServers.split(separator: ",").count == 3)
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded))
        let topics = try await admin.describeTopics()
        #expect(topics.map(\.topic) == ["a", "b"])
        #expect(topics.map(\.partitions.count) == [3, 12])
        #expect(topics.map(\.replicationFactor) == [3, 3])
        #expect(topics.allSatisfy { $0.configuration == nil })
        await admin.close(within: .seconds(2))
        await broker.stop()
    }

    @Test func `a topic can be created only once`() async throws {
        let broker = try DevBroker(topics: ["a": 1])
        try broker.createTopic("b", partitions: 2)
        let error = #expect(throws: KafkaError.self) { try broker.createTopic("b", partitions: 2) }
        #expect(error?.code == .topicAlreadyExists)
        #expect(throws: KafkaError.self) { try broker.createTopic("c", partitions: 0) }
        #expect(throws: KafkaError.self) { try broker.createTopic("", partitions: 1) }
        await broker.stop()
        let closed = #expect(throws: KafkaError.self) { try broker.createTopic("d", partitions: 1) }
        #expect(closed?.code == .closed)
    }

    @Test(arguments: [0, 17, -1])
    func `an invalid number of brokers is refused`(brokers: Int) {
        #expect(throws: KafkaError.self) { try DevBroker(brokers: brokers) }
    }

    @Test func `an unavailable port is an error and does not end the process`() async throws {
        // Without an interposed `bind`, the brokers get other ports, as they would if the requested ports were in use.
        let error = #expect(throws: KafkaError.self) {
            try DevBroker(ports: .fixed(first: 1, setNext: { _ in }))
        }
        #expect(error?.code == .portInUse)
        #expect(error?.message.contains("127.0.0.1:1") == true)
        let outside = #expect(throws: KafkaError.self) {
            try DevBroker(brokers: 3, ports: .fixed(first: 65534, setNext: { _ in }))
        }
        #expect(outside?.code == .invalidArgument)
    }

    @Test func `stopping twice is harmless`() async throws {
        let broker = try DevBroker()
        await broker.stop()
        await broker.stop()
    }
}
