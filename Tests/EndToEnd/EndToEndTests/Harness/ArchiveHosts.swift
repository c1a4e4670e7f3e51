import Foundation
import Kafka
import Synchronization
import TestSupport
import Testing

/// Hosts of one archive, each with a `sluice-archive` and its own key store and index. They share the archive's
/// directory and keys, and a wall clock that the test controls.
final class ArchiveHosts: Sendable {
    static let origin = "example.com/test"

    private let harness: Harness
    let broker: Broker
    private let app: SentApp
    let clock: WallClock
    /// All processes started so far, by host.
    private let processes = Mutex<[Int: [ChildProcess]]>([:])

    /// - Parameter app: the app of the notifications.
    init(_ harness: Harness, _ broker: Broker, _ app: SentApp) async throws {
        (self.harness, self.broker, self.app) = (harness, broker, app)
        clock = try await WallClock(harness, shiftsKafka: true)
        let signing = try await harness.run(
            Executable(
                "sluicectl",
                arguments: ["archive", "key", "signing", harness.path("signing.pem"), "--archive.origin", Self.origin]))
        try #require(signing.end == .exit(0), "\(signing)")
        _ = try harness.write(signing.output, to: "archive.pub")
        let encryption = try await harness.run(
            Executable("sluicectl", arguments: ["archive", "key", "encryption", harness.path("kek")]))
        try #require(encryption.end == .exit(0), "\(encryption)")
    }

    var archive: String { harness.path("archive") }

    /// Starts the member of a host and waits until it is ready. A restarted member keeps its key store.
    func start(_ host: Int) async throws {
        let process = try harness.start(
            Executable(
                "sluice-archive",
                arguments: try configuration(host) + ["--data.dir", harness.path("data-\(host)"), "--admin.port", "0"],
                environment: clock.environment))
        processes.withLock { $0[host, default: []].append(process) }
        _ = try await process.ready(listener: "admin", within: .seconds(60))
    }

    /// Kills the member of a host with SIGKILL.
    ///
    /// - Parameter losesKeys: whether the host's key store is lost too.
    func kill(_ host: Int, losesKeys: Bool = false) async throws {
        let process = try #require(processes.withLock { $0[host]?.last })
        process.signal(SIGKILL)
        #expect(try await process.end(within: .seconds(5)) == .signal(SIGKILL), "\(process)")
        guard losesKeys else { return }
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: harness.path("keys-\(host).sqlite\(suffix)"))
        }
    }

    /// Stops the running members. Each must exit with 0.
    func stop() async throws {
        for process in processes.withLock({ $0.values.compactMap(\.last) }) where process.ended == nil {
            process.signal(SIGTERM)
            #expect(try await process.end(within: .seconds(40)) == .exit(0), "\(process)")
        }
    }

    /// Returns the errors that members have logged.
    var errors: [LogLine] { log.filter { $0.level == "error" } }

    /// Returns the number of partition assignments to a member.
    var assignments: Int { log.count { $0.message == "partitions assigned" } }

    private var log: [LogLine] { processes.withLock { $0.values.flatMap(\.self) }.flatMap(\.log) }

    /// Runs a command of `sluicectl archive` on a host.
    func run(_ host: Int, _ arguments: [String], within limit: Duration = .seconds(120)) async throws -> Finished {
        try await harness.run(
            Executable(
                "sluicectl", arguments: ["archive"] + arguments + configuration(host), environment: clock.environment),
            within: limit)
    }

    /// Returns the properties file of a host, shared by its executables.
    private func configuration(_ host: Int) throws -> [String] {
        let flags = broker.arguments
        let common = stride(from: 0, to: flags.count, by: 2).map { "\(flags[$0].dropFirst(2))=\(flags[$0 + 1])" }
        let lines =
            common + [
                "archive.url=\(archive)", "archive.origin=\(Self.origin)",
                "archive.signing.key.file=\(harness.path("signing.pem"))",
                "archive.key.encryption.key.file=\(harness.path("kek"))",
                "archive.key.store=\(harness.path("keys-\(host).sqlite"))",
                "archive.index=\(harness.path("index-\(host).sqlite"))", "archive.flush.interval=200ms",
                "archive.anchor.interval=1s", "archive.retention.interval=1s", "kafka.session.timeout.ms=6000",
                "kafka.heartbeat.interval.ms=1000",
            ]
        return ["--config", try harness.write(lines.map { $0 + "\n" }.joined(), to: "host-\(host).properties")]
    }

    /// Returns flags of `verify`: the archive's public key, and the root of the notifications.
    var verification: [String] {
        ["--key", harness.path("archive.pub")] + (app.rootCertificate.map { ["--root.certificates", $0] } ?? [])
    }

    /// Returns the number of leaves of each log of a topic.
    func leaves(of topic: KafkaTopic) async throws -> [Int64: Int64] {
        let status = try await run(0, ["status", "--topic", topic.rawValue, "--output", "json"])
        // The first log of a topic begins with the topic's first record.
        guard !status.errors.contains("the archive has no such log") else { return [:] }
        try #require(status.end == .exit(0), "\(status)")
        return Dictionary(
            try status.jsonLines.compactMap { line in
                line.integer("partition").flatMap { partition in line.integer("leaves").map { (partition, $0) } }
            }, uniquingKeysWith: { $1 })
    }

    /// Waits until each log of a topic has a leaf for every record of its partition.
    func waitUntilArchived(_ topic: KafkaTopic, within limit: Duration = .seconds(90)) async throws {
        let ends = try await broker.withAdmin { try await $0.watermarks(of: topic) }
        var expected: [Int64: Int64] = [:]
        for (partition, end) in ends where end.high.rawValue > 0 {
            expected[Int64(partition.partition.rawValue)] = end.high.rawValue
        }
        var leaves: [Int64: Int64] = [:]
        var read: [String: [Int]]?
        let isThere = try await eventually(within: limit) {
            // The command runs only after a change, because its start costs more than everything else here.
            let heads = self.heads
            guard heads != read else { return false }
            read = heads
            leaves = try await self.leaves(of: topic).filter { $0.value > 0 }
            return leaves == expected
        }
        try #require(isThere, "\(leaves) of \(expected); \(processes.withLock { $0.values.compactMap(\.last) })")
    }

    /// The versions of all logs' checkpoints and signed retentions, by path. A new version is a new file.
    var heads: [String: [Int]] {
        func entries(_ folder: String) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { "\(folder)/\($0)" }
        }
        let paths = entries(archive).flatMap(entries).flatMap { ["\($0)/checkpoint", "\($0)/retention"] }
        return paths.reduce(into: [:]) { heads, path in
            var status = stat()
            guard stat(path, &status) == 0 else { return }
            heads[path] = [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        }
    }

    /// Returns the text of a log's signed retention; nil if there is none.
    func retention(_ topic: KafkaTopic, _ partition: Int) -> String? {
        try? String(contentsOfFile: "\(archive)/\(topic)/\(partition)/retention", encoding: .utf8)
    }

    /// Whether the archive contains the payloads of a full segment.
    func hasSegment(_ index: Int, _ topic: KafkaTopic, _ partition: Int) -> Bool {
        let name = String(repeating: "0", count: 3 - String(index).count) + String(index)
        return FileManager.default.fileExists(atPath: "\(archive)/\(topic)/\(partition)/segments/\(name)")
    }
}
