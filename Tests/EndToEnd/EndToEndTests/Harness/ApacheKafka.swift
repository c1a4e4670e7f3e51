import Foundation
import Testing

/// An Apache Kafka for tests: one that runs already (`SLUICE_TEST_BOOTSTRAP_SERVERS`), or one broker that is started
/// once per run from `KAFKA_HOME` or from `shared/kafka` beside a folder above this file, and stopped when this process
/// is gone.
struct ApacheKafka: Sendable {
    /// `host:port`, separated by commas.
    let bootstrapServers: String
    /// Where the broker that was started here lives; `nil` for one that ran already.
    private let directory: String?

    static let absence: Comment = "needs KAFKA_HOME with bin/test-cluster and Java, or SLUICE_TEST_BOOTSTRAP_SERVERS"
    static let tormentAbsence: Comment = "needs KAFKA_HOME with bin/test-cluster and Java, to stop a broker"
    static let toolsAbsence: Comment = "needs kcat, and KAFKA_HOME with kafka-console-consumer.sh and Java"

    static var isAvailable: Bool { runningServers != nil || canStart }
    /// Whether the broker is started here, so that it may be stopped too.
    static var isOurs: Bool { runningServers == nil && canStart }
    static var hasTools: Bool { isAvailable && consoleConsumer != nil && isInstalled("java") && isInstalled("kcat") }

    /// The path of `kafka-console-consumer.sh`.
    static var consoleConsumer: String? {
        home.map { $0 + "/bin/kafka-console-consumer.sh" }.flatMap {
            FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil
        }
    }

    /// The same cluster for all tests of a run.
    static func shared() async throws -> ApacheKafka { try await cluster.value }

    /// Ends the broker with SIGTERM and waits until it is gone.
    func terminate() async throws {
        let directory = try #require(directory)
        let id = try String(contentsOfFile: directory + "/node1/pid", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        _ = try await Self.runScript(["term", directory])
        // A process that ended and that nobody has waited for yet has no command line any more.
        let isGone = try await eventually(within: .seconds(30)) {
            FileManager.default.contents(atPath: "/proc/\(id)/cmdline")?.isEmpty ?? true
        }
        try #require(isGone, "the broker does not end")
    }

    /// Starts the broker again, with all its data.
    func restart() async throws { _ = try await Self.runScript(["restart", try #require(directory)]) }

    private static let cluster = Task { try await start() }

    private static var runningServers: String? { ProcessInfo.processInfo.environment["SLUICE_TEST_BOOTSTRAP_SERVERS"] }
    private static var canStart: Bool { home != nil && isInstalled("java") }

    private static let home: String? = {
        var homes = [ProcessInfo.processInfo.environment["KAFKA_HOME"]].compactMap { $0 }
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while folder.path != "/" {
            homes.append(folder.appending(path: "shared/kafka").path)
            folder.deleteLastPathComponent()
        }
        return homes.first { FileManager.default.isExecutableFile(atPath: $0 + "/bin/test-cluster") }
    }()

    private static func isInstalled(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    private static func start() async throws -> ApacheKafka {
        if let runningServers { return ApacheKafka(bootstrapServers: runningServers, directory: nil) }
        let directory = FileManager.default.temporaryDirectory.appending(path: "kafka-\(UUID().uuidString)").path
        let script = #"while kill -0 "$1" 2>/dev/null; do sleep 1; done; "$2" stop "$3"; rm -rf "$3""#
        Aftercare.shared.watch(script, [try #require(home) + "/bin/test-cluster", directory])
        let output = try await runScript(["start", directory])
        let line = output.split(separator: "\n").first { $0.hasPrefix("BOOTSTRAP_SERVERS=") }
        let servers = try #require(line?.split(separator: "=").last.map(String.init), "\(output)")
        return ApacheKafka(bootstrapServers: servers, directory: directory)
    }

    private static func runScript(_ arguments: [String]) async throws -> String {
        let script = try #require(home) + "/bin/test-cluster"
        return try await Stage.open { stage in
            let finished = try await stage.run([script] + arguments, within: .seconds(90))
            try #require(finished.end == .exit(0), "\(finished)")
            return finished.output
        }
    }
}
