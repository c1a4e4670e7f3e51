import AppStoreModel
import Foundation
import Kafka
import Records
import TestSupport
import Testing

/// Brokers with one test's topics, embedded or Apache Kafka.
struct Broker: Sendable {
    let bootstrapServers: String
    let topics: TopicNames
    /// How the brokers are stopped and restarted.
    let machinery: Machinery

    enum Machinery: Sendable {
        /// `sluice-dev-broker`.
        case embedded(ChildProcess)
        case apache(ApacheKafka)
    }

    var isEmbedded: Bool { apache == nil }

    var apache: ApacheKafka? { if case .apache(let cluster) = machinery { cluster } else { nil } }

    /// Number of replicas of a record.
    var replicas: Int { apache.map { min(3, $0.brokerCount) } ?? 1 }

    /// Client configuration.
    var configuration: KafkaConfiguration {
        get throws {
            try KafkaConfiguration(bootstrapServers: bootstrapServers, profile: isEmbedded ? .embedded : .production)
        }
    }

    /// Flags for the executables.
    var arguments: [String] {
        [
            "--kafka.bootstrap.servers", bootstrapServers, "--topics.prefix", topics.prefix,
            "--profile", replicas == 3 ? "production" : "single-node",
        ]
    }

    func notifications(_ environment: AppStoreEnvironment) -> KafkaTopic {
        topics.notifications(environment)
    }

    var quarantine: KafkaTopic { topics.quarantine }

    func entitlements(_ environment: AppStoreEnvironment) -> KafkaTopic {
        topics.entitlements(environment)
    }

    /// Writes records in order. Each is acknowledged before the next one is sent.
    func write(_ records: [KafkaProducerRecord]) async throws {
        let producer = try KafkaProducer(configuration, topics: Array(Set(records.map(\.topic))))
        for record in records { _ = try await producer.send(record, deadline: .seconds(20)) }
        await producer.close(within: .seconds(5))
    }

    /// Writes records concurrently, in any order.
    func writeAtOnce(_ records: [KafkaProducerRecord]) async throws {
        let producer = try KafkaProducer(configuration, topics: Array(Set(records.map(\.topic))))
        for chunk in stride(from: 0, to: records.count, by: 500) {
            try await withThrowingTaskGroup { group in
                for record in records[chunk..<min(chunk + 500, records.count)] {
                    group.addTask { _ = try await producer.send(record, deadline: .seconds(60)) }
                }
                try await group.waitForAll()
            }
        }
        await producer.close(within: .seconds(5))
    }

    /// Returns all records of a topic.
    func records(of topic: KafkaTopic) async throws -> [KafkaRecord] {
        var records: [KafkaRecord] = []
        try await read(topic) { records += $0 }
        return records
    }

    /// Reads all records of a topic, in batches.
    func read(_ topic: KafkaTopic, _ body: ([KafkaRecord]) -> Void) async throws {
        let offsets = try await withAdmin { try await $0.watermarks(of: topic).mapValues(\.low) }
        // The embedded broker keeps 5 MiB per partition. A test that writes more needs more partitions or more brokers.
        let hasForgotten = isEmbedded && offsets.values.contains { $0.rawValue > 0 }
        try #require(!hasForgotten, "the embedded broker dropped records that a test reads")
        try await KafkaConsumer.readToEnd(try configuration, from: offsets, within: .seconds(120)) { body($0) }
    }

    /// Returns the notificationUUIDs in the notification topics, including repetitions.
    func notificationUUIDs() async throws -> [String] {
        var all: [String] = []
        for environment in AppStoreEnvironment.published {
            try await read(notifications(environment)) { all += $0.compactMap { $0.header("ce_id")?.text } }
        }
        return all
    }

    /// Returns the header segments in the certificates topic, by reference.
    func headers() async throws -> [HeaderReference: [UInt8]] {
        let headers = try await records(of: topics.certificates).compactMap(CertificateHeader.init)
        return Dictionary(headers.map { ($0.reference, $0.segment) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the next offset of every notification partition. The offsets are unchanged if no record was written.
    func endOffsets() async throws -> [KafkaTopicPartition: KafkaOffset] {
        try await withAdmin { admin in
            var ends: [KafkaTopicPartition: KafkaOffset] = [:]
            for topic in topics.notifications().map(\.name) + [topics.quarantine] {
                let watermarks = try await admin.watermarks(of: topic)
                ends.merge(watermarks.mapValues(\.high)) { $1 }
            }
            return ends
        }
    }

    func create(_ specifications: [TopicSpecification]) async throws {
        let new = specifications.map {
            KafkaNewTopic(
                topic: $0.name, partitions: $0.partitions, replicationFactor: replicas,
                configuration: $0.settings)
        }
        let failures = try await withAdmin { try await $0.createTopics(new) }
        try #require(failures.isEmpty)
        // Kafka responds before every partition has a leader.
        let haveLeaders = await eventually(within: .seconds(20)) {
            for topic in new where (try? await withAdmin { try await $0.watermarks(of: topic.topic) }) == nil {
                return false
            }
            return true
        }
        try #require(haveLeaders)
    }

    func withAdmin<Result>(_ body: (KafkaAdmin) async throws -> Result) async throws -> Result {
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

extension Broker {
    /// Runs a Kafka command-line tool to completion.
    func tool(_ name: String, _ arguments: [String]) async throws -> String {
        try await #require(apache).tool(name, arguments)
    }

    /// Waits until all replicas of the test's topics are in sync.
    func waitForReplicas() async throws {
        let topics = topics.ingress().map { $0.name }
        try await waitUntil(within: .seconds(60)) {
            let descriptions = try? await withAdmin { try await $0.describeTopics(topics) }
            let partitions = descriptions?.flatMap(\.partitions) ?? []
            return !partitions.isEmpty && partitions.allSatisfy { $0.inSyncReplicas.count == replicas }
        }
    }
}

/// How a broker fails.
enum Disappearance: String, CaseIterable, Sendable {
    /// SIGTERM.
    case terminated
    /// SIGKILL.
    case killed
    /// SIGSTOP: connections stay open without a response.
    case frozen
}

extension Broker {
    /// Stops a broker. The embedded broker loses its records when it ends, so it can only be frozen.
    func remove(_ disappearance: Disappearance, node: Int = 1) async throws {
        switch (machinery, disappearance) {
        case (.embedded(let process), _): try await process.freeze()
        case (.apache(let cluster), .terminated): try await cluster.terminate(node)
        case (.apache(let cluster), .killed): try await cluster.kill(node)
        case (.apache(let cluster), .frozen): try await cluster.pause(node)
        }
    }

    /// Restarts or resumes a broker with its records.
    func bringBack(node: Int = 1) async throws {
        switch machinery {
        case .embedded(let process): process.signal(SIGCONT)
        case .apache(let cluster) where cluster.isGone(node): try await cluster.restart(node)
        case .apache(let cluster): try await cluster.resume(node)
        }
    }
}

extension Harness {
    /// Starts `sluice-dev-broker`.
    func embeddedBroker(partitions: Int = 4, groups: [String] = [], others: [KafkaTopic] = []) async throws -> Broker {
        let process = try start(
            Executable(
                "sluice-dev-broker",
                arguments: ["--port", "0", "--partitions", "\(partitions)", "--topics.prefix", topics.prefix]
                    + (groups.isEmpty ? [] : ["--groups", groups.joined(separator: ",")])
                    + (others.isEmpty ? [] : ["--topics", others.map(\.rawValue).joined(separator: ",")])))
        let servers = try await process.ready().fields.text("bootstrapServers")
        return Broker(
            bootstrapServers: try #require(servers, "\(process)"), topics: topics, machinery: .embedded(process))
    }

    /// Returns the Apache Kafka of this run, or another one, with this test's topics.
    func apacheKafka(
        _ cluster: ApacheKafka? = nil, partitions: Int = 4, withTopics: Bool = true
    ) async throws -> Broker {
        let shared = if let cluster { cluster } else { try await ApacheKafka.shared() }
        let broker = Broker(
            bootstrapServers: shared.bootstrapServers, topics: topics, machinery: .apache(shared))
        if withTopics { try await broker.create(topics.specifications(partitions: partitions)) }
        return broker
    }
}
