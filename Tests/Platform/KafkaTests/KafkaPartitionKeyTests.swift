import Kafka
import KafkaDevBroker
import Testing

@testable import KafkaModel

@Suite struct KafkaPartitionKeyTests {
    /// Test vectors from Kafka's own `UtilsTest.testMurmur2`.
    @Test(
        arguments: [
            ("21", -973_932_308), ("foobar", -790_332_482), ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971), ("abc", 479_470_107),
        ] as [(String, Int32)])
    func `the hash equals that of Java clients`(key: String, hash: Int32) {
        #expect(Int32(bitPattern: KafkaPartition.murmur2(Array(key.utf8))) == hash)
    }

    @Test func `a key is assigned to the same partition as in librdkafka`() async throws {
        let broker = try DevBroker()
        try broker.createTopic("keys", partitions: 7)
        let configuration = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let producer = try KafkaProducer(configuration, topics: ["keys"])
        for number in 0..<40 {
            let key = Array("com.example/\(number * 7919)".utf8)
            let delivery = try await producer.send(
                KafkaProducerRecord(topic: "keys", key: key, value: []), deadline: .seconds(20))
            #expect(delivery.partition == KafkaPartition(ofKey: key, partitions: 7))
        }
        await producer.close(within: .seconds(5))
        await broker.stop()
    }
}
