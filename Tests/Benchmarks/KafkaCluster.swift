internal import Foundation
internal import Kafka
internal import Records

/// A single Apache Kafka broker for one run, started from `KAFKA_HOME`.
final class KafkaCluster {
    /// The reason for skipping the Apache Kafka measurements.
    static let absence = "needs KAFKA_HOME with bin/test-cluster, and Java"

    /// The path of the script that starts a broker, or nil if it does not exist.
    static var script: String? {
        let home = ProcessInfo.processInfo.environment["KAFKA_HOME"] ?? ""
        let script = home + "/bin/test-cluster"
        return !home.isEmpty && FileManager.default.isExecutableFile(atPath: script) ? script : nil
    }

    let bootstrapServers: String
    private let script: String
    private let directory: String

    /// - Parameter directory: the directory for this cluster's settings, logs and data.
    init(script: String, directory: String) throws {
        (self.script, self.directory) = (script, directory)
        try Self.run(script, "start", directory, output: directory + ".out")
        defer { try? FileManager.default.removeItem(atPath: directory + ".out") }
        let output = try String(contentsOfFile: directory + ".out", encoding: .utf8)
        let line = output.split(separator: "\n").first { $0.hasPrefix("BOOTSTRAP_SERVERS=") }
        guard let servers = line?.split(separator: "=").last else {
            throw BenchFailure("Apache Kafka did not start: \(output)")
        }
        bootstrapServers = String(servers)
    }

    /// Creates topics with one replica.
    func create(_ topics: [TopicSpecification]) async throws {
        try await create(
            topics.map {
                KafkaNewTopic(
                    topic: $0.name, partitions: $0.partitions, replicationFactor: 1, configuration: $0.settings)
            })
    }

    func create(_ topics: [KafkaNewTopic]) async throws {
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: bootstrapServers))
        let refusals = try await admin.createTopics(topics)
        await admin.close(within: .seconds(2))
        if let refusal = refusals.values.first { throw BenchFailure("a topic was not created: \(refusal)") }
    }

    /// Stops the broker and removes its data.
    func stop() throws {
        try Self.run(script, "stop", directory, output: "/dev/null")
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Runs the script with `system`, because Foundation's `Process` waits until all descendants have ended, and the
    /// broker keeps running.
    private static func run(_ script: String, _ command: String, _ directory: String, output: String) throws {
        let status = system("'\(script)' \(command) '\(directory)' > '\(output)'")
        guard status == 0 else { throw BenchFailure("\(script) \(command) ended with \(status)") }
    }
}
