internal import AppStoreModel
internal import AppStoreVerification
internal import Foundation
internal import Kafka
internal import Records
internal import SQLite

/// Measures recovery from a lost disk. One member publishes the state of many purchases; then a second member without a
/// database reads it back. The measurement ends when the second member has all rows. Uses the embedded broker, and also
/// Apache Kafka if available.
struct RestoreBenchmark {
    let verified: [VerifiedNotification]
    /// The current time in milliseconds since 1970.
    let now: Int64
    /// Maximum number of rows on Apache Kafka.
    let rows: Int
    let isQuick: Bool

    /// The embedded broker keeps 5 MiB per partition; with this many partitions it keeps all records.
    private static let embeddedPartitions: Int32 = 48

    func run(into report: inout BenchReport) async throws {
        report.section("restore of a lost disk from the embedded broker, one record per row")
        let broker = try ChildProcess(
            "sluice-dev-broker", ["--port", "0", "--partitions", "\(Self.embeddedPartitions)"])
        try await measure(
            backlog(isQuick ? 20_000 : 200_000), "restore", on: broker.ready(field: "bootstrapServers"),
            partitions: Self.embeddedPartitions, isEmbedded: true, into: &report)
        try broker.stop()
        guard let script = KafkaCluster.script else {
            return report.skip("restore.kafka", because: KafkaCluster.absence)
        }
        report.section("restore of a lost disk from Apache Kafka, one record per row")
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-bench-kafka-\(getpid())")
        let cluster = try KafkaCluster(script: script, directory: directory.path)
        defer { try? cluster.stop() }
        let topics = TopicNames()
        let specifications =
            topics.ingress() + topics.state() + topics.deadLetters(of: "sluice-entitlements") + [topics.controlTopic]
        try await cluster.create(specifications)
        let partitions = specifications.first { $0.name == topics.notifications(.production) }?.partitions ?? 12
        try await measure(
            backlog(isQuick ? 20_000 : rows), "restore.kafka", on: cluster.bootstrapServers,
            partitions: Int32(clamping: partitions), isEmbedded: false, into: &report)
    }

    private func backlog(_ count: Int) throws -> NotificationBacklog {
        try NotificationBacklog(
            verified, topic: TopicNames().notifications(.production), count: count, order: .spread, steps: 1, at: now)
    }

    private func measure(
        _ backlog: NotificationBacklog, _ name: String, on bootstrapServers: String, partitions: Int32,
        isEmbedded: Bool, into report: inout BenchReport
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "sluice-bench-restore-\(getpid())")
        try? FileManager.default.removeItem(at: directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let feed = try BacklogFeed(
            backlog, bootstrapServers: bootstrapServers, isBounded: isEmbedded, partitions: partitions)
        try await publish(feed, directory.path + "/first")
        let outcome = try restore(feed.bootstrapServers, directory.path + "/second")
        await feed.close()
        guard outcome.rows == backlog.customers else {
            throw BenchFailure("\(outcome.rows) rows for \(backlog.customers) purchases: the broker lost some")
        }
        report.add("\(name).rows", Double(outcome.rows), "rows", digits: 0)
        report.add("\(name).row_bytes", outcome.rowBytes, "bytes of the database a row", digits: 0)
        report.add(
            "\(name).cpu_us", outcome.cpu / 1e3 / Double(outcome.rows), "us CPU a row, start included",
            bar: .atMost(15))
        report.add(
            "\(name).rows_per_core_second", Double(outcome.rows) / (outcome.cpu / 1e9), "rows/s of one core", digits: 0)
        report.add("\(name).seconds", outcome.seconds, "s from the start to the last row, broker on the same cores")
        report.add("\(name).memory_peak_mib", outcome.peak, "MiB resident")
    }

    /// Runs a member that merges the backlog and publishes its state.
    private func publish(_ feed: BacklogFeed, _ directory: String) async throws {
        try await feed.fill()
        let member = try start(feed.bootstrapServers, directory, role: "worker")
        _ = try member.ready("admin listener ready", field: "port")
        _ = try await feed.run { _ in }
        try member.stop()
    }

    private struct Outcome {
        var rows = 0
        var rowBytes = 0.0
        /// The CPU time in nanoseconds.
        var cpu = 0.0
        var seconds = 0.0
        var peak = 0.0
    }

    /// Starts a reader without a database and waits until it has read everything.
    private func restore(_ bootstrapServers: String, _ directory: String) throws -> Outcome {
        let start = Clocks.monotonic
        let member = try self.start(bootstrapServers, directory, role: "reader")
        _ = try member.ready("all partitions of the state are restored", field: "milliseconds")
        var outcome = Outcome()
        outcome.seconds = (Clocks.monotonic - start) / 1e9
        outcome.cpu = member.cpu
        outcome.peak = member.memory.peak
        try member.stop()
        let path = directory + "/entitlements.sqlite"
        let database = try Database(path: path, access: .reader)
        defer { database.close() }
        outcome.rows = try database.firstRow("SELECT count(*) FROM rows") { Int(try $0.integer(0)) } ?? 0
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        outcome.rowBytes = Double(size) / Double(max(1, outcome.rows))
        return outcome
    }

    private func start(_ bootstrapServers: String, _ directory: String, role: String) throws -> ChildProcess {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        return try ChildProcess(
            "sluice-entitlements",
            [
                "--kafka.bootstrap.servers", bootstrapServers, "--profile", "single-node", "--data.dir", directory,
                "--http.port", "0", "--admin.port", "0", "--state.role", role,
                // The prefetch limit in the profile for Apache Kafka. The embedded broker's limit is smaller.
                "--kafka.queued.max.messages.kbytes", "4096",
                // Commit often: the embedded broker stores few records, so the feed writes more only after a commit.
                "--kafka.auto.commit.interval.ms", "100",
            ])
    }
}
