internal import Foundation

/// A program of another project, whose output goes to a file.
final class PeerProcess {
    private let process = Process()
    private let log: String

    /// - Parameters:
    ///   - command: the program, found by `PATH`, and its arguments.
    ///   - log: the path of the file for its output.
    init(_ command: [String], log: String) throws {
        self.log = log
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        guard let file = FileHandle(forWritingAtPath: log) else { throw BenchFailure("\(log) cannot be written") }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = file
        process.standardError = file
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SLUICE_") }
        try process.run()
    }

    var pid: Int32 { process.processIdentifier }

    /// - Throws: ``BenchFailure`` with the end of the output, if the program has ended.
    func check() throws {
        guard !process.isRunning else { return }
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        throw BenchFailure("it ended with \(process.terminationStatus): \(text.suffix(500))")
    }

    /// Sends SIGTERM, and SIGKILL if the program has not ended after 40 seconds.
    func stop() {
        process.terminate()
        let deadline = Date() + 40
        while process.isRunning {
            if Date() > deadline { kill(pid, SIGKILL) }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }
}
