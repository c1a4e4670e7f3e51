import Kafka
import KafkaDevBroker
import KafkaTestSupport
import TestSupport
import Testing

/// Tests that unreadable records are never skipped, although librdkafka may continue after reporting them.
@Suite(.timeLimit(.minutes(5)))
struct DamagedBatchTests {
    @Test(arguments: BatchDamage.allCases)
    func `no record after a corrupted batch is read`(damage: BatchDamage) async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        try await DamagedBatch.check(damage, topic, of: ConsumerTestBroker.configuration())
    }

    @Test func `reading to the end fails at a corrupted batch`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        let broker = try ConsumerTestBroker.configuration()
        try await DamagedBatch.write(to: topic, of: broker)
        let proxy = try DamagedBatch.proxy(.flippedBit, to: broker)
        defer { proxy.close() }
        let configuration = try KafkaConfiguration(bootstrapServers: proxy.bootstrapServers, profile: .embedded)
        let place = KafkaTopicPartition(topic: topic, partition: 0)
        await #expect {
            try await KafkaConsumer.readToEnd(configuration, from: [place: .beginning], within: .seconds(20)) {
                #expect($0.map(\.text) == ["before"])
            }
        } throws: { error in
            (error as? KafkaError)?.code == .badMessage
        }
    }

    @Test func `checksums cannot be turned off`() {
        #expect(throws: KafkaError.self) {
            try KafkaConfiguration(bootstrapServers: "b:1", properties: ["check.crcs": "false"])
        }
    }
}

extension ApacheKafkaTests {
    /// With Apache Kafka, a response contains several batches, which librdkafka reads one after another.
    @Test(arguments: BatchDamage.allCases)
    func `no record after a corrupted batch is read from Apache Kafka`(damage: BatchDamage) async throws {
        let topic = KafkaTopic.unique("batches")
        let broker = try KafkaConfiguration(bootstrapServers: await ApacheKafka.shared().bootstrapServers)
        let admin = try KafkaAdmin(broker)
        let new = KafkaNewTopic(topic: topic, partitions: 1, replicationFactor: 1)
        #expect(try await admin.createTopics([new]).isEmpty)
        await admin.close(within: .seconds(2))
        try await DamagedBatch.check(damage, topic, of: broker)
    }
}

/// A topic with three batches. The second is damaged on its way to the consumer.
private enum DamagedBatch {
    static func check(_ damage: BatchDamage, _ topic: KafkaTopic, of broker: KafkaConfiguration) async throws {
        try await write(to: topic, of: broker)
        let proxy = try proxy(damage, to: broker)
        defer { proxy.close() }
        let member = try await ConsumerHarness(
            .group(KafkaConsumerGroup(rawValue: "group-\(topic)"), topics: [topic]),
            bootstrapServers: proxy.bootstrapServers, profile: broker.profile)
        let partition = try #require(try await member.assigned(1).first)
        #expect(try await ConsumerHarness.read(1, of: partition).map(\.text) == ["before"])
        #expect(await partition.next(maxRecords: 10, within: .seconds(60)) == nil)
        // librdkafka may have continued reading in the meantime.
        let isReadOn = await eventually(within: .milliseconds(300)) { await partition.next(maxRecords: 10) != nil }
        #expect(!isReadOn)
        #expect(member.noted.damaged.map(\.partition) == [partition.topicPartition])
        #expect(member.noted.damaged.map(\.offset) == [1])
        // Records before the damaged batch can still be processed and committed.
        #expect(partition.isActive)
        await partition.store(nextOffset: 1)
        await partition.release()
        #expect(await member.consumer.close(within: .seconds(10)))
    }

    /// Writes one uncompressed batch for each record.
    static func write(to topic: KafkaTopic, of broker: KafkaConfiguration) async throws {
        let configuration = try KafkaConfiguration(
            bootstrapServers: broker.bootstrapServers, properties: ["compression.codec": "none"],
            profile: broker.profile)
        let producer = try KafkaProducer(configuration, topics: [topic])
        for value in ["before", "damaged", "behind"] {
            _ = try await producer.send(
                KafkaProducerRecord(topic: topic, key: nil, value: Array(value.utf8)), deadline: .seconds(10))
        }
        await producer.close(within: .seconds(5))
    }

    static func proxy(_ damage: BatchDamage, to broker: KafkaConfiguration) throws -> KafkaProxy {
        try KafkaProxy(to: broker.bootstrapServers) { damage.apply(to: $0, marker: "damaged") }
    }
}
