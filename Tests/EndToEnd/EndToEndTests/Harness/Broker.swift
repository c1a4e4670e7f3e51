import Foundation
import Kafka
import NotificationRecord
import TestSupport
import Testing

/// Brokers with the topics of one test, embedded or Apache Kafka.
struct Broker: Sendable {
    let bootstrapServers: String
    let topics: TopicNames
    let isEmbedded: Bool
    /// Nobody answers from here on.
    let stop: @Sendable () async throws -> Void
    /// Whoever was stopped is there again, with what it held.
    let bringBack: @Sendable () async throws -> Void

    private var configuration: KafkaConfiguration {
        get throws {
            try KafkaConfiguration(bootstrapServers: bootstrapServers, profile: isEmbedded ? .embedded : .production)
        }
    }

    /// As executables take them.
    var arguments: [String] {
        [
            "--kafka.bootstrap.servers", bootstrapServers, "--topics.prefix", topics.prefix, "--profile", "single-node",
        ]
    }

    func notifications(_ environment: RecordEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: topics.notifications(environment).rawValue)
    }

    var quarantine: KafkaTopic { KafkaTopic(rawValue: topics.quarantine.rawValue) }

    func entitlements(_ environment: RecordEnvironment) -> KafkaTopic {
        KafkaTopic(rawValue: topics.entitlements(environment).rawValue)
    }

    /// Writes records in order, each acknowledged before the next.
    func write(_ records: [KafkaProducerRecord]) async throws {
        let producer = try KafkaProducer(configuration, topics: Array(Set(records.map(\.topic))))
        for record in records { _ = try await producer.send(record, deadline: .seconds(20)) }
        await producer.close(within: .seconds(5))
    }

    /// Everything a topic holds.
    func records(of topic: KafkaTopic) async throws -> [KafkaRecord] {
        let offsets = try await withAdmin { try await $0.watermarks(of: topic).mapValues(\.low) }
        var records: [KafkaRecord] = []
        try await KafkaConsumer.readToEnd(try configuration, from: offsets, within: .seconds(30)) { records += $0 }
        return records
    }

    /// The notificationUUIDs that the notification topics hold, each as often as it is there.
    func notificationUUIDs() async throws -> [String] {
        var all: [KafkaRecord] = []
        for environment in RecordEnvironment.allCases { all += try await records(of: notifications(environment)) }
        return all.compactMap { $0.header("ce_id")?.text }
    }

    /// The next offset of every partition of the test's topics: nothing was written while it stays the same.
    func endOffsets() async throws -> [KafkaTopicPartition: KafkaOffset] {
        try await withAdmin { admin in
            var ends: [KafkaTopicPartition: KafkaOffset] = [:]
            for topic in topics.ingress() {
                let watermarks = try await admin.watermarks(of: KafkaTopic(rawValue: topic.name.rawValue))
                ends.merge(watermarks.mapValues(\.high)) { $1 }
            }
            return ends
        }
    }

    func create(_ specifications: [TopicSpecification]) async throws {
        let new = specifications.map {
            KafkaNewTopic(
                topic: KafkaTopic(rawValue: $0.name.rawValue), partitions: $0.partitions, replicationFactor: 1,
                configuration: $0.settings)
        }
        let failures = try await withAdmin { try await $0.createTopics(new) }
        try #require(failures.isEmpty)
        // Kafka answers before every partition has its leader.
        let haveLeaders = await eventually(within: .seconds(20)) {
            for topic in new where (try? await withAdmin { try await $0.watermarks(of: topic.topic) }) == nil {
                return false
            }
            return true
        }
        try #require(haveLeaders)
    }

    private func withAdmin<Result>(_ body: (KafkaAdmin) async throws -> Result) async throws -> Result {
        let admin = try KafkaAdmin(try configuration)
        do {
            let result = try await body(admin)
            await admin.close(within: .seconds(2))
            return result
        } catch {
            await admin.close(within: .seconds(2))
            throw error
        }
    }
}

extension KafkaHeader {
    var text: String? { value.map { String(decoding: $0, as: UTF8.self) } }
}

extension Stage {
    /// `sluice-dev-broker`. It forgets all when it ends, so being stopped is SIGSTOP: connections stay, nobody answers.
    func embeddedBroker(partitions: Int = 4) async throws -> Broker {
        let process = try start(
            Executable(
                "sluice-dev-broker",
                arguments: ["--port", "0", "--partitions", "\(partitions)", "--topics.prefix", topics.prefix]))
        let servers = try await process.ready().fields.text("bootstrapServers")
        return Broker(
            bootstrapServers: try #require(servers, "\(process)"), topics: topics, isEmbedded: true,
            stop: { process.signal(SIGSTOP) }, bringBack: { process.signal(SIGCONT) })
    }

    /// The Apache Kafka of this run, with topics of this test.
    func apacheKafka(partitions: Int = 4, withTopics: Bool = true) async throws -> Broker {
        let cluster = try await ApacheKafka.shared()
        let broker = Broker(
            bootstrapServers: cluster.bootstrapServers, topics: topics, isEmbedded: false,
            stop: { try await cluster.terminate() }, bringBack: { try await cluster.restart() })
        if withTopics { try await broker.create(topics.specifications(partitions: partitions)) }
        return broker
    }
}
