internal import Foundation

/// An executable beside this one, started with its log in a pipe that is read to the end.
final class ChildProcess {
    struct Failure: Error {
        let message: String
    }

    private let process = Process()
    private let log: FileHandle
    private var unread = Data()

    /// Starts it. `environment` replaces this process's own SLUICE_ variables.
    init(_ name: String, _ arguments: [String]) throws {
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

    /// The first log line whose message is `ready` and that has `field`; then the log is read and dropped.
    func ready(field: String) throws -> String {
        var result: String?
        while result == nil {
            let chunk = log.availableData
            guard !chunk.isEmpty else {
                throw Failure(message: "\(process.executableURL?.lastPathComponent ?? "") ended")
            }
            unread.append(chunk)
            while let newline = unread.firstIndex(of: 10) {
                let line = unread[unread.startIndex..<newline]
                unread = Data(unread[unread.index(after: newline)...])
                guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
                    object["message"] as? String == "ready", let value = object[field]
                else { continue }
                if result == nil { result = "\(value)" }
            }
        }
        let log = log
        // Ends when the child closes its end of the pipe.
        Thread.detachNewThread { while !log.availableData.isEmpty {} }
        return result ?? ""
    }

    /// CPU seconds of the process so far, all threads, user and system.
    var cpuSeconds: Double {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 13,
            let user = Double(fields[11]), let system = Double(fields[12])
        else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Resident memory in MiB.
    var residentMiB: Double {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }

    /// SIGTERM, then waits for the end.
    func stop() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
