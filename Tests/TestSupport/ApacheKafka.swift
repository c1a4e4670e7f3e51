import Foundation

/// An Apache Kafka for tests: one that runs already (`SLUICE_TEST_BOOTSTRAP_SERVERS`), or one broker that is started
/// once for all tests of this process, and stopped when the process is gone. It is started from `KAFKA_HOME`, else from
/// `shared/kafka` beside a folder above this file.
package struct ApacheKafka: Sendable {
    /// `host:port`, separated by commas.
    package let bootstrapServers: String
    /// Where the broker that was started here lives; `nil` for one that ran already.
    private let directory: String?

    /// Why tests that need it are skipped.
    package static let absence =
        "needs KAFKA_HOME with bin/test-cluster and Java, or SLUICE_TEST_BOOTSTRAP_SERVERS"
    /// Why tests that stop it are skipped.
    package static let tormentAbsence = "needs KAFKA_HOME with bin/test-cluster and Java, to stop a broker"

    package static var isAvailable: Bool { runningServers != nil || canStart }
    /// Whether the broker is started here, so that it may be stopped too.
    package static var isOurs: Bool { runningServers == nil && canStart }

    /// The same cluster for all tests of this process.
    package static func shared() async throws -> ApacheKafka {
        let cluster = try await cluster.value
        // A test that stopped it may have failed before it brought it back.
        if let id = cluster.brokerId, isGone(id) { try await cluster.restart() }
        return cluster
    }

    /// Ends the broker with SIGTERM and waits until it is gone.
    package func terminate() async throws {
        guard let directory, let id = brokerId else { throw SupportError(Self.tormentAbsence) }
        _ = try await Self.runScript(["term", directory])
        try await waitUntil(within: .seconds(30)) { Self.isGone(id) }
    }

    /// Starts the broker again, with all its data; with SIGKILL before when it runs.
    package func restart() async throws {
        guard let directory else { throw SupportError(Self.tormentAbsence) }
        _ = try await Self.runScript(["restart", directory])
    }

    /// `nil` for one that ran already.
    private var brokerId: String? {
        directory.flatMap { try? String(contentsOfFile: $0 + "/node1/pid", encoding: .utf8) }?
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A process that ended and that nobody has waited for yet has no command line any more.
    private static func isGone(_ id: String) -> Bool {
        FileManager.default.contents(atPath: "/proc/\(id)/cmdline")?.isEmpty ?? true
    }

    // Awaited by `shared()`. Not the first test's own task: the others wait for it too when that test is cancelled.
    private static let cluster = Task { try await start() }

    private static var runningServers: String? { ProcessInfo.processInfo.environment["SLUICE_TEST_BOOTSTRAP_SERVERS"] }
    private static var canStart: Bool { home != nil && Program.path(of: "java") != nil }

    /// The folder of Kafka's distribution.
    package static let home: String? = {
        func hasScript(_ home: String) -> Bool { FileManager.default.isExecutableFile(atPath: script(in: home)) }
        if let home = ProcessInfo.processInfo.environment["KAFKA_HOME"], hasScript(home) { return home }
        return Checkout.beside("shared/kafka", where: hasScript)
    }()

    private static func script(in home: String) -> String { home + "/bin/test-cluster" }

    private static func start() async throws -> ApacheKafka {
        if let runningServers { return ApacheKafka(bootstrapServers: runningServers, directory: nil) }
        guard let home else { throw SupportError(absence) }
        let directory = FileManager.default.temporaryDirectory.appending(path: "kafka-\(UUID().uuidString)").path
        let stop = #"while kill -0 "$1" 2>/dev/null; do sleep 1; done; "$2" stop "$3"; rm -rf "$3""#
        Aftercare.shared.watch(stop, [script(in: home), directory])
        let output = try await runScript(["start", directory])
        let line = output.split(separator: "\n").first { $0.hasPrefix("BOOTSTRAP_SERVERS=") }
        guard let servers = line?.split(separator: "=").last else { throw SupportError("no servers in \(output)") }
        return ApacheKafka(bootstrapServers: String(servers), directory: directory)
    }

    private static func runScript(_ arguments: [String]) async throws -> String {
        guard let home else { throw SupportError(absence) }
        // Not the test's task, which may be cancelled: then half a broker would be left to the next test.
        return try await Task {
            let (end, process) = try await ChildProcess.run(
                "test-cluster", [script(in: home)] + arguments, directory: Aftercare.shared.directory,
                within: .seconds(90))
            guard end == .exit(0) else { throw SupportError("\(process)") }
            return process.output
        }.value
    }
}
