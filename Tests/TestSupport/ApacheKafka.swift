package import Foundation

/// Apache Kafka for tests: a running cluster (`SLUICE_TEST_BOOTSTRAP_SERVERS`), or brokers that are started once for
/// all tests of this process and stopped when the process ends. They are started from `KAFKA_HOME`, or from
/// `shared/kafka` in any parent directory of this file. Nodes are numbered from 1.
package struct ApacheKafka: Sendable {
    /// `host:port`, separated by commas.
    package let bootstrapServers: String
    package let brokerCount: Int
    /// Directory of the brokers that were started here; `nil` for a running cluster.
    private let directory: String?

    /// The reason to skip tests that need Kafka.
    package static let absence =
        "needs KAFKA_HOME with bin/test-cluster and Java, or SLUICE_TEST_BOOTSTRAP_SERVERS"
    /// The reason to skip tests that stop Kafka.
    package static let faultAbsence = "needs KAFKA_HOME with bin/test-cluster and Java, to stop a broker"

    package static var isAvailable: Bool { runningServers != nil || canStart }
    /// Whether the broker was started here and may be stopped.
    package static var isOurs: Bool { runningServers == nil && canStart }
    /// Whether separate clusters can be started, regardless of a running one.
    package static var canStart: Bool { home != nil && Program.path(of: "java") != nil }

    /// Returns the broker shared by all tests of this process, or the running cluster.
    package static func shared() async throws -> ApacheKafka { try await cluster.value.whole() }

    /// Runs a test of the embedded broker with Apache Kafka instead, by setting ``chosen`` for the test's support code.
    package static func use(_ body: () async throws -> Void) async throws {
        try await $chosen.withValue(shared()) { try await body() }
    }

    /// The broker that the test's support code should use instead of an embedded one.
    @TaskLocal package static var chosen: ApacheKafka?

    /// Returns the three brokers shared by all tests of this process, for topics with three replicas and two of them in
    /// sync.
    package static func threeBrokers() async throws -> ApacheKafka { try await threeBrokerCluster.value.whole() }

    /// Starts separate brokers.
    ///
    /// - Parameters:
    ///   - settings: settings in addition to those of `test-cluster`; for a repeated name, the last one is used.
    ///   - options: options of the JVM.
    package static func start(
        brokers: Int = 1, settings: [String: String] = [:], options: String = ""
    ) async throws -> ApacheKafka {
        guard let home else { throw SupportError(absence) }
        let directory = FileManager.default.temporaryDirectory.appending(path: "kafka-\(UUID().uuidString)").path
        let stop = #"while kill -0 "$1" 2>/dev/null; do sleep 1; done; "$2" stop "$3"; rm -rf "$3""#
        ProcessCleanup.shared.watch(stop, [script(in: home), directory])
        let output = try await runScript(
            ["start", directory, "--brokers", "\(brokers)"] + settings.flatMap { ["--set", "\($0.key)=\($0.value)"] },
            environment: options.isEmpty ? [:] : ["KAFKA_OPTS": options])
        let line = output.split(separator: "\n").first { $0.hasPrefix("BOOTSTRAP_SERVERS=") }
        guard let servers = line?.split(separator: "=").last else { throw SupportError("no servers in \(output)") }
        return ApacheKafka(bootstrapServers: String(servers), brokerCount: brokers, directory: directory)
    }

    /// Stops all brokers and deletes their data.
    package func stop() async throws {
        _ = try await run("stop")
        if let directory { try FileManager.default.removeItem(atPath: directory) }
    }

    /// Returns the same brokers behind a proxy at another address.
    package func reached(at address: String) -> ApacheKafka {
        ApacheKafka(bootstrapServers: address, brokerCount: brokerCount, directory: directory)
    }

    // MARK: Fault injection

    /// Stops a broker with SIGTERM and waits until it has ended.
    package func terminate(_ node: Int = 1) async throws {
        _ = try await run("term", node)
        try await waitUntil(within: .seconds(30)) { isGone(node) }
    }

    /// Kills a broker with SIGKILL.
    package func kill(_ node: Int = 1) async throws {
        _ = try await run("kill", node)
        try await waitUntil(within: .seconds(10)) { isGone(node) }
    }

    /// Freezes a broker: connections stay open without responses.
    package func pause(_ node: Int = 1) async throws { _ = try await run("pause", node) }

    package func resume(_ node: Int = 1) async throws { _ = try await run("resume", node) }

    /// Restarts a broker with all its data; a running one is killed first.
    package func restart(_ node: Int = 1) async throws { _ = try await run("restart", node) }

    /// Returns the process id of a broker that was started here.
    package func processId(_ node: Int = 1) -> pid_t? {
        directory.flatMap { try? String(contentsOfFile: "\($0)/node\(node)/pid", encoding: .utf8) }
            .flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    /// Whether a broker that was started here has ended. A process that ended but was not yet waited for has an empty
    /// command line.
    package func isGone(_ node: Int = 1) -> Bool {
        processId(node).map { FileManager.default.contents(atPath: "/proc/\($0)/cmdline")?.isEmpty ?? true } ?? true
    }

    /// Returns the log of a broker that was started here since its last start.
    package func log(_ node: Int = 1) -> String {
        directory.flatMap { try? String(contentsOfFile: "\($0)/node\(node)/server.log", encoding: .utf8) } ?? ""
    }

    /// Runs a Kafka command-line tool to completion.
    ///
    /// - Returns: its output.
    package func tool(_ name: String, _ arguments: [String]) async throws -> String {
        guard let home = Self.home else { throw SupportError(Self.absence) }
        return try await Self.run(["\(home)/bin/\(name)", "--bootstrap-server", bootstrapServers] + arguments)
    }

    private func run(_ command: String, _ node: Int? = nil) async throws -> String {
        guard let directory else { throw SupportError(Self.faultAbsence) }
        return try await Self.runScript([command, directory] + (node.map { ["\($0)"] } ?? []))
    }

    /// Restores brokers that a failed test stopped or paused.
    private func whole() async throws -> ApacheKafka {
        guard directory != nil else { return self }
        for node in 1...brokerCount {
            if isGone(node) { try await restart(node) } else { try await resume(node) }
        }
        return self
    }

    // MARK: start

    // Awaited by all tests. This task is not part of the first test, because the other tests still wait for it when
    // that test is cancelled.
    private static let cluster = Task {
        guard let runningServers else { return try await start() }
        return ApacheKafka(bootstrapServers: runningServers, brokerCount: 1, directory: nil)
    }

    // Awaited by the tests, like `cluster`.
    private static let threeBrokerCluster = Task { try await start(brokers: 3) }

    private static var runningServers: String? { ProcessInfo.processInfo.environment["SLUICE_TEST_BOOTSTRAP_SERVERS"] }

    /// The directory of Kafka's distribution.
    package static let home: String? = {
        func hasScript(_ home: String) -> Bool { FileManager.default.isExecutableFile(atPath: script(in: home)) }
        if let home = ProcessInfo.processInfo.environment["KAFKA_HOME"], hasScript(home) { return home }
        return Checkout.beside("shared/kafka", where: hasScript)
    }()

    private static func script(in home: String) -> String { home + "/bin/test-cluster" }

    private static func runScript(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> String {
        guard let home else { throw SupportError(absence) }
        return try await run([script(in: home)] + arguments, environment: environment)
    }

    private static func run(_ command: [String], environment: [String: String] = [:]) async throws -> String {
        // A separate task: the test's own may be cancelled, and the next test would find a half-started broker.
        try await Task {
            let name = URL(filePath: command[0]).lastPathComponent
            let (end, process) = try await ChildProcess.run(
                name, command, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
                directory: ProcessCleanup.shared.directory, within: .seconds(90))
            guard end == .exit(0) else { throw SupportError("\(process)") }
            return process.output
        }.value
    }
}
