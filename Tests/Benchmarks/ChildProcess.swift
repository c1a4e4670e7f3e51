internal import Foundation
internal import Synchronization

/// An executable in the same directory as this one. Its log goes to a pipe that is read to the end.
final class ChildProcess {
    private let process = Process()
    private let name: String
    private let log: FileHandle
    private let lines = LogLines()

    /// Starts the executable without this process's `SLUICE_` variables.
    init(_ name: String, _ arguments: [String]) throws {
        self.name = name
        let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        process.executableURL = directory.appendingPathComponent(name)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SLUICE_") }
        let pipe = Pipe()
        process.standardError = pipe
        log = pipe.fileHandleForReading
        try process.run()
    }

    var pid: Int32 { process.processIdentifier }

    /// Waits for the first log line with this message and field, and returns the field. Later messages are counted and
    /// dropped.
    func ready(_ message: String = "ready", field: String) throws -> String {
        var result: String?
        while result == nil {
            let chunk = log.availableData
            guard !chunk.isEmpty else { throw BenchFailure("\(name) ended") }
            for line in lines.take(chunk) where result == nil && line["message"] as? String == message {
                result = line[field].map { "\($0)" }
            }
        }
        let (log, lines) = (log, lines)
        // The thread ends when the child closes its end of the pipe.
        Thread.detachNewThread {
            while case let chunk = log.availableData, !chunk.isEmpty { _ = lines.take(chunk) }
        }
        return result ?? ""
    }

    /// Returns how many lines with this message have been logged so far.
    func count(of message: String) -> Int { lines.count(of: message) }

    /// The CPU time of the process in nanoseconds, user and system, over all threads.
    var cpu: Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// The current and peak resident memory in MiB.
    var memory: (now: Double, peak: Double) {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        func value(_ name: String) -> Double {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            return (line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
        }
        return (value("VmRSS:"), value("VmHWM:"))
    }

    /// Sends SIGTERM and waits for the process to exit.
    func stop() throws {
        process.terminate()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchFailure("\(name) ended with \(process.terminationStatus)")
        }
    }
}

/// Splits the bytes of a log into lines as they arrive.
private final class LogLines: Sendable {
    private struct State {
        var unread = Data()
        var counts: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// Returns the lines that `chunk` completes.
    func take(_ chunk: Data) -> [[String: Any]] {
        let complete = state.withLock { state -> [Data] in
            state.unread.append(chunk)
            var lines = state.unread.split(separator: 10, omittingEmptySubsequences: false)
            state.unread = Data(lines.popLast() ?? Data())
            return lines
        }
        let objects = complete.compactMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
        let messages = objects.compactMap { $0["message"] as? String }
        state.withLock { state in
            for message in messages { state.counts[message, default: 0] += 1 }
        }
        return objects
    }

    func count(of message: String) -> Int { state.withLock { $0.counts[message] ?? 0 } }
}
