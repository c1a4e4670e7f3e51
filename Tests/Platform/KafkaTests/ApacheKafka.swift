import Foundation
import Testing

/// An Apache Kafka for tests: one that runs already (`SLUICE_TEST_BOOTSTRAP_SERVERS`), or one broker that is started
/// once per run from `KAFKA_HOME` or from `../shared/kafka` beside the package, and stopped when this process is gone.
struct ApacheKafka: Sendable {
    /// `host:port`, separated by commas.
    let bootstrapServers: String
    /// Where the broker that was started here lives; `nil` for one that ran already.
    private let directory: String?

    /// Why tests that need it are skipped.
    static let absence: Comment = "needs KAFKA_HOME with bin/test-cluster, or SLUICE_TEST_BOOTSTRAP_SERVERS"

    static var isAvailable: Bool { runningServers != nil || script != nil }

    /// The same cluster for all tests of a run.
    static func shared() throws -> ApacheKafka { try cluster.get() }

    /// Kills the broker with SIGKILL and starts it again; only where it was started here. Blocks for some seconds.
    func restart() throws {
        guard let directory else { return }
        _ = try Self.runScript(["restart", directory])
    }

    var isOurs: Bool { directory != nil }

    private static let cluster = Result { try start() }

    private static var runningServers: String? { ProcessInfo.processInfo.environment["SLUICE_TEST_BOOTSTRAP_SERVERS"] }

    private static let script: String? = {
        // Tests/Platform/KafkaTests/ApacheKafka.swift
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let beside = root.deletingLastPathComponent().appending(path: "shared/kafka").path
        let homes = [ProcessInfo.processInfo.environment["KAFKA_HOME"], beside].compactMap { $0 }
        return homes.map { $0 + "/bin/test-cluster" }.first(where: FileManager.default.isExecutableFile)
    }()

    private static func start() throws -> ApacheKafka {
        if let runningServers { return ApacheKafka(bootstrapServers: runningServers, directory: nil) }
        let directory = FileManager.default.temporaryDirectory.appending(path: "kafka-\(UUID().uuidString)").path
        let output = try runScript(["start", directory])
        let line = output.split(separator: "\n").first { $0.hasPrefix("BOOTSTRAP_SERVERS=") }
        let servers = try #require(line?.split(separator: "=").last.map(String.init))
        try stopWhenThisProcessIsGone(directory)
        return ApacheKafka(bootstrapServers: servers, directory: directory)
    }

    private static func runScript(_ arguments: [String]) throws -> String {
        let output = FileManager.default.temporaryDirectory.appending(path: "kafka-\(UUID().uuidString).out").path
        defer { unlink(output) }
        let process = try spawn([try #require(script)] + arguments, output: output)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        try #require(status == 0)
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    /// Starts a process without Foundation's `Process`, which waits on a run loop that a test's thread does not run.
    private static func spawn(_ command: [String], output: String) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        try #require(posix_spawn(&process, command[0], &actions, nil, &arguments, environ) == 0)
        return process
    }

    /// A run that crashes must not leave a broker behind, so a process of its own waits for the end of this one.
    private static func stopWhenThisProcessIsGone(_ directory: String) throws {
        let text = #"while kill -0 "$1" 2>/dev/null; do sleep 1; done; "$2" stop "$3"; rm -rf "$3""#
        let own = "\(ProcessInfo.processInfo.processIdentifier)"
        _ = try spawn(["/bin/sh", "-c", text, "sh", own, try #require(script), directory], output: "/dev/null")
    }
}
