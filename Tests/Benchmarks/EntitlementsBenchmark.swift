internal import AppStoreModel
internal import AppStoreVerification
internal import Foundation
internal import Kafka
internal import Records
internal import SQLite

/// Runs `sluice-entitlements` as a separate process with an empty database, until it has merged, published and
/// committed a backlog. Uses the embedded broker and, if available, Apache Kafka.
struct EntitlementsBenchmark {
    let verified: [VerifiedNotification]
    /// The current time in milliseconds since 1970.
    let now: Int64
    let isQuick: Bool

    func run(into report: inout BenchReport) async throws {
        report.section("entitlements from the embedded broker, one process each, an empty database")
        let count = isQuick ? 20_000 : 60_000
        let spread = try await drain(backlog(count))
        report.add("entitlements.keys", Double(spread.customers), "customers", digits: 0)
        report.add(
            "entitlements.records", Double(spread.records),
            "records of \(spread.recordBytes) bytes, a customer's next after every other's", digits: 0)
        add(spread, "entitlements", bars: true, into: &report)
        let interleaved = try await drain(backlog(count, .interleaved))
        report.section("the same records, 64 customers at a time, so that a batch has several records of a key")
        add(interleaved, "entitlements.interleaved", bars: false, into: &report)
        try await addWorkers(count, into: &report)
        try await addKafka(into: &report)
        guard !isQuick else { return report.skip("entitlements.backlog", because: "not with --quick") }
        let long = try await drain(backlog(500_000))
        report.section("entitlements over a backlog of \(long.records) records, \(long.customers) keys")
        for (share, memory) in long.memory {
            report.add("entitlements.backlog.memory_\(share)_mib", memory, "MiB resident after \(share) %")
        }
        report.add("entitlements.backlog.memory_peak_mib", long.peak, "MiB resident", bar: .atMost(128))
        report.add("entitlements.backlog.per_core_second", long.perCPUSecond, "records/s of one core", digits: 0)
        report.add("entitlements.backlog.per_second", long.perSecond, "records/s", digits: 0)
    }

    private func add(_ outcome: Outcome, _ name: String, bars: Bool, into report: inout BenchReport) {
        report.add("\(name).published", Double(outcome.published), "records of state acknowledged", digits: 0)
        report.add("\(name).cpu_us", 1e6 / outcome.perCPUSecond, "us CPU each")
        report.add(
            "\(name).per_core_second", outcome.perCPUSecond, "records/s of one core", digits: 0,
            bar: bars ? .atLeast(20_000) : nil)
        report.add("\(name).per_second", outcome.perSecond, "records/s, broker and feed on the same cores", digits: 0)
        report.add("\(name).row_bytes", Double(outcome.rowBytes), "bytes of a row in the end", digits: 0)
        report.add("\(name).memory_peak_mib", outcome.peak, "MiB resident")
    }

    /// Measures the backlogs that are used to compare Sluice with other implementations of consumers, each in a
    /// separate cluster.
    private func addKafka(into report: inout BenchReport) async throws {
        guard let script = KafkaCluster.script else {
            return report.skip("entitlements.kafka", because: KafkaCluster.absence)
        }
        let purchases = isQuick ? 5_000 : 50_000
        for (name, backlog) in [
            ("renewals", try backlog(purchases * 4)), ("first", try backlog(purchases * 4, steps: 1)),
        ] {
            report.section("entitlements from Apache Kafka: \(backlog.customers) purchases × \(backlog.stepCount)")
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
                "sluice-bench-kafka-\(getpid())")
            let cluster = try KafkaCluster(script: script, directory: directory.path)
            defer { try? cluster.stop() }
            let topics = TopicNames()
            try await cluster.create(
                topics.ingress() + topics.state() + topics.deadLetters(of: "sluice-entitlements")
                    + [topics.controlTopic])
            let outcome = try await drain(backlog, on: cluster)
            report.add(
                "entitlements.kafka.\(name).cpu_us", 1e6 / outcome.perCPUSecond, "us CPU each, the start included",
                bar: .atMost(55))
            report.add(
                "entitlements.kafka.\(name).per_second", outcome.perSecond, "records/s, broker on the same cores",
                digits: 0)
            report.add(
                "entitlements.kafka.\(name).memory_peak_mib", outcome.peak, "MiB resident", bar: .atMost(256))
        }
    }

    /// Measures the total cost per record if one worker owns all partitions, and if three workers share them.
    private func addWorkers(_ count: Int, into report: inout BenchReport) async throws {
        report.section("the same records on workers, which follow only the partitions they own")
        let one = try await drain(backlog(count), workers: 1)
        let three = try await drain(backlog(count), workers: 3)
        for (name, outcome) in [("one", one), ("three", three)] {
            report.add("entitlements.workers_\(name).cpu_us", 1e6 / outcome.perCPUSecond, "us CPU each, all members")
        }
        report.add(
            "entitlements.workers.ratio", one.perCPUSecond / three.perCPUSecond, "of one worker's CPU", digits: 3,
            bar: .atMost(1.15))
    }

    private struct Outcome {
        var customers = 0
        var records = 0
        var recordBytes = 0
        var published = 0
        var perCPUSecond = 0.0
        var perSecond = 0.0
        /// The mean size of a customer's row at the end of the run.
        var rowBytes = 0
        var peak = 0.0
        /// The resident memory by the percentage of the backlog that has been processed.
        var memory: [(Int, Double)] = []
    }

    private func backlog(
        _ count: Int, _ order: NotificationBacklog.Order = .spread, steps: Int = .max
    ) throws -> NotificationBacklog {
        try NotificationBacklog(
            verified, topic: TopicNames().notifications(.production), count: count, order: order, steps: steps, at: now)
    }

    /// - Parameters:
    ///   - workers: the number of members with `state.role=worker`, or nil to start one member with the default role.
    ///   - cluster: the Kafka cluster, or nil to use the embedded broker.
    private func drain(
        _ backlog: NotificationBacklog, workers: Int? = nil, on cluster: KafkaCluster? = nil
    ) async throws -> Outcome {
        let topics = TopicNames()
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-bench-entitlements-\(getpid())")
        // A killed run may have left a directory for the same process id.
        try? FileManager.default.removeItem(at: directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let broker = try cluster == nil ? ChildProcess("sluice-dev-broker", ["--port", "0"]) : nil
        let servers = try cluster?.bootstrapServers ?? broker?.ready(field: "bootstrapServers") ?? ""
        let feed = try BacklogFeed(backlog, bootstrapServers: servers, isBounded: cluster == nil)
        try await feed.fill()
        let members = try (0..<(workers ?? 1)).map { number in
            try start(
                servers, directory.path + "/\(number)", role: workers == nil ? "all" : "worker",
                isEmbedded: cluster == nil)
        }
        // A worker has only the admin listener.
        for member in members { _ = try member.ready("admin listener ready", field: "port") }
        var outcome = Outcome()
        let seconds = try await feed.run { share in
            if [10, 50, 100].contains(share) { outcome.memory.append((share, members[0].memory.now)) }
        }
        outcome.published = try await feed.length(of: topics.entitlements(.production))
        // The members still have to apply the published rows from the topic. Wait for this, because it is part of the
        // cost of the records.
        let databases = members.indices.map { directory.path + "/\($0)/entitlements.sqlite" }
        let end = Clocks.monotonic + 30e9
        while try Self.applied(databases) < outcome.published {
            guard Clocks.monotonic < end else { throw BenchFailure("the changelog was not applied within 30 s") }
            try await Task.sleep(for: .milliseconds(20))
        }
        outcome.customers = backlog.customers
        outcome.records = backlog.count
        outcome.recordBytes = backlog[0].value?.count ?? 0
        outcome.perCPUSecond = Double(backlog.count) / (members.reduce(0) { $0 + $1.cpu } / 1e9)
        outcome.perSecond = Double(backlog.count) / seconds
        outcome.peak = members[0].memory.peak
        for member in members { try member.stop() }
        await feed.close()
        try broker?.stop()
        guard workers == nil else { return outcome }
        outcome.rowBytes = try rowBytes(directory.path + "/0/entitlements.sqlite", customers: backlog.customers)
        return outcome
    }

    /// Returns the number of applied changelog records. If several members follow a partition, only the one that has
    /// applied the most records is included.
    private static func applied(_ databases: [String]) throws -> Int {
        var furthest: [String: Int] = [:]
        for path in databases {
            let database = try Database(path: path, access: .reader)
            defer { database.close() }
            let positions = try database.rows("SELECT topic || '/' || partition, next FROM positions") {
                (try $0.text(0), Int(try $0.integer(1)))
            }
            furthest.merge(positions) { max($0, $1) }
        }
        return furthest.values.reduce(0, +)
    }

    private func start(
        _ bootstrapServers: String, _ directory: String, role: String, isEmbedded: Bool
    ) throws -> ChildProcess {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        return try ChildProcess(
            "sluice-entitlements",
            [
                "--kafka.bootstrap.servers", bootstrapServers, "--profile", "single-node", "--data.dir", directory,
                "--http.port", "0", "--admin.port", "0", "--state.role", role,
            ]
                + (isEmbedded
                    ? [
                        // The prefetch limit in the profile for Apache Kafka. The embedded broker's limit is smaller.
                        "--kafka.queued.max.messages.kbytes", "4096",
                        // Commit often: the embedded broker stores few records, so the feed writes more only after a
                        // commit.
                        "--kafka.auto.commit.interval.ms", "100",
                    ] : []))
    }

    /// Returns the mean size of the rows, after checking that each customer has one.
    private func rowBytes(_ path: String, customers: Int) throws -> Int {
        let database = try Database(path: path, access: .reader)
        defer { database.close() }
        let (rows, bytes) =
            try database.firstRow("SELECT count(*), sum(length(state)) FROM rows") { row in
                (Int(try row.integer(0)), Int(try row.integer(1)))
            } ?? (0, 0)
        guard rows == customers else {
            throw BenchFailure("\(rows) rows for \(customers) customers: the broker lost some")
        }
        return bytes / rows
    }
}
