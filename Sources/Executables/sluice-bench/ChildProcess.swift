internal import Foundation

/// An executable beside this one, started with its log in a pipe that is read to the end.
final class ChildProcess {
    private let process = Process()
    private let name: String
    private let log: FileHandle
    private var unread = Data()

    /// Starts it without the SLUICE_ variables of this process.
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

    /// The field of the first log line with this message that has it; then the log is read and dropped.
    func ready(_ message: String = "ready", field: String) throws -> String {
        var result: String?
        while result == nil {
            let chunk = log.availableData
            guard !chunk.isEmpty else { throw BenchFailure("\(name) ended") }
            unread.append(chunk)
            while let newline = unread.firstIndex(of: 10) {
                let line = unread[unread.startIndex..<newline]
                unread = Data(unread[unread.index(after: newline)...])
                guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
                    object["message"] as? String == message, let value = object[field]
                else { continue }
                if result == nil { result = "\(value)" }
            }
        }
        let log = log
        // Ends when the child closes its end of the pipe.
        Thread.detachNewThread { while !log.availableData.isEmpty {} }
        return result ?? ""
    }

    /// CPU time of the process so far, all threads, user and system, in nanoseconds.
    var cpu: Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// Resident memory in MiB: now, and at most so far.
    var memory: (now: Double, peak: Double) {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        func value(_ name: String) -> Double {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            return (line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
        }
        return (value("VmRSS:"), value("VmHWM:"))
    }

    /// SIGTERM, then waits for the end.
    func stop() throws {
        process.terminate()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchFailure("\(name) ended with \(process.terminationStatus)")
        }
    }
}
