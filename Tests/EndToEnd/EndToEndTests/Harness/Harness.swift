import Foundation
import Kafka
import Records
import Synchronization
import TestSupport
import Testing

/// A directory, a topic prefix and processes of one test. They end with the test, regardless of its outcome.
final class Harness: Sendable {
    let directory: String
    /// Topics for this test alone on a shared cluster.
    let topics = TopicNames(prefix: "e2e.\(UUID().uuidString.prefix(8).lowercased())")
    private let processes = Mutex<[ChildProcess]>([])

    private init() throws {
        directory = "\(ProcessCleanup.shared.directory)/\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    static func open<Result>(_ body: (Harness) async throws -> Result) async throws -> Result {
        let harness = try Harness()
        do {
            let result = try await body(harness)
            await harness.close()
            return result
        } catch {
            await harness.close()
            throw error
        }
    }

    /// Returns a path in the test's directory.
    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
        return path(name)
    }

    /// Starts an executable that keeps running.
    ///
    /// - Parameter wrapper: a command that receives the executable's command line and executes it.
    func start(_ executable: Executable, under wrapper: [String] = []) throws -> ChildProcess {
        try start(executable.name, wrapper + [executable.path] + executable.arguments, executable.wholeEnvironment)
    }

    /// Starts a third-party program that keeps running.
    func start(_ command: [String]) throws -> ChildProcess {
        try start(URL(filePath: command[0]).lastPathComponent, command, ProcessInfo.processInfo.environment)
    }

    /// Runs an executable to completion.
    func run(_ executable: Executable, within limit: Duration = .seconds(30)) async throws -> Finished {
        try await finish(try start(executable), within: limit)
    }

    /// Runs a third-party program to completion.
    func run(_ command: [String], within limit: Duration = .seconds(60)) async throws -> Finished {
        let name = URL(filePath: command[0]).lastPathComponent
        return try await finish(
            try start(name, command, ProcessInfo.processInfo.environment), within: limit)
    }

    /// Starts a program with exactly this environment.
    func start(_ name: String, _ command: [String], _ environment: [String: String]) throws -> ChildProcess {
        let process = try ChildProcess(name, command, environment: environment, directory: directory)
        processes.withLock { $0.append(process) }
        return process
    }

    private func finish(_ process: ChildProcess, within limit: Duration) async throws -> Finished {
        let end = try await process.end(within: limit)
        return Finished(name: process.name, end: end, output: process.output, errors: process.errors)
    }

    /// The running processes in start order.
    var running: [ChildProcess] { processes.withLock { $0 }.filter { $0.ended == nil } }

    /// Stops all processes. Consumers end before their brokers.
    private func close() async {
        for process in running.reversed() { await process.stop() }
        try? FileManager.default.removeItem(atPath: directory)
    }
}

/// A line of a JSON log.
struct LogLine: Sendable {
    let fields: JSON.Object

    static func lines(of text: String) -> [LogLine] {
        text.split(separator: "\n").compactMap { JSON.object(String($0)).map(LogLine.init) }
    }

    var message: String? { fields.text("message") }
    var level: String? { fields.text("level") }
    /// The port in a line `ready`.
    var port: UInt16? { fields.integer("port").flatMap { UInt16(exactly: $0) } }
}

extension ChildProcess {
    var log: [LogLine] { LogLine.lines(of: errors) }

    /// Waits for the line `ready` of the only listener, or of the one given.
    ///
    /// - Parameter log: returns the log so far, if it is not on standard error.
    func ready(
        listener: String? = nil, within limit: Duration = .seconds(30), log: (() -> String)? = nil
    ) async throws -> LogLine {
        var line: LogLine?
        _ = await eventually(within: limit) {
            line = LogLine.lines(of: log?() ?? errors).first {
                $0.message == "ready" && (listener == nil || $0.fields.text("listener") == listener)
                    // The message that consumers log.
                    || listener == "admin" && $0.message == "admin listener ready"
            }
            return line != nil || ended != nil
        }
        return try #require(line, "no line \"ready\"; \(self)")
    }
}
