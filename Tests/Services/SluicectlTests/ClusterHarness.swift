import AppStoreModel
import Foundation
import Kafka
import KafkaDevBroker
import Records
import TestSupport

@testable import Sluicectl

/// A cluster with the topics of an installation and a mirror's copies of one complete purchase.
struct CopiedCluster {
    static let partitions = 2
    /// The prefix that distinguishes this cluster from the group members' own.
    static let prefix = "moved"

    let names = TopicNames(prefix: CopiedCluster.prefix)
    let broker: DevBroker
    let configuration: KafkaConfiguration

    static let key = "com.example.app/2000000000000001"
    static let timestamp: Int64 = 1_793_491_201_000
    /// Returns the key's partition by murmur2.
    static let place = KafkaPartition(ofKey: Array(key.utf8), partitions: Int32(partitions))

    /// - Parameter change: changes the topics and their partitions before they are created.
    init(topics change: (inout [KafkaTopic: Int], TopicNames) -> Void = { _, _ in }) throws {
        var topics: [KafkaTopic: Int] = [:]
        for specification in names.specifications(partitions: Self.partitions) {
            topics[specification.name] = specification.partitions
        }
        change(&topics, names)
        broker = try DevBroker(topics: topics)
        configuration = try KafkaConfiguration(
            bootstrapServers: broker.bootstrapServers, properties: ["max.in.flight.requests.per.connection": "1"],
            profile: .embedded)
    }

    var flags: [String] {
        [
            "--kafka.bootstrap.servers", broker.bootstrapServers, "--topics.prefix", Self.prefix, "--profile",
            "single-node", "--partitions", "\(Self.partitions)",
        ]
    }

    /// Writes a properties file for this cluster as the source, and returns its flags.
    func file(in directory: TemporaryDirectory) throws -> [String] {
        let text = "kafka.bootstrap.servers=\(broker.bootstrapServers)\ntopics.prefix=\(Self.prefix)\n"
        return ["--source", try directory.write(text, to: "source-\(UUID().uuidString).properties")]
    }

    func write(_ records: [KafkaProducerRecord]) async throws {
        let producer = try KafkaProducer(configuration, topics: Array(Set(records.map(\.topic)))) { _ in }
        for record in records { _ = try await producer.send(record, deadline: .seconds(10)) }
        await producer.close(within: .seconds(5))
    }

    func notification(_ number: Int = 1) -> KafkaProducerRecord {
        Self.notification(number, in: names.notifications(.production))
    }

    static func notification(_ number: Int = 1, in topic: KafkaTopic) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: topic, partition: place, timestampMilliseconds: timestamp + Int64(number), key: Array(key.utf8),
            value: Array(#"{"notification":{"notificationUUID":"\#(number)"}}"#.utf8),
            headers: [KafkaHeader(.id, "\(number)"), KafkaHeader(.subject, "2000000000000001")])
    }

    func state(_ number: Int = 1) -> KafkaProducerRecord { Self.state(number, in: names.entitlements(.production)) }

    static func state(_ number: Int = 1, in topic: KafkaTopic) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: topic, partition: place, timestampMilliseconds: timestamp + Int64(number), key: Array(key.utf8),
            value: Array(#"{"number":\#(number)}"#.utf8), headers: [KafkaHeader(key: "sluice.state", text: "1;1;1")])
    }

    func admin<Result>(_ body: (KafkaAdmin) async throws -> Result) async throws -> Result {
        try await KafkaAdmin(configuration).closing { try await body($0) }
    }

    func close() async {
        await broker.stop()
    }
}
