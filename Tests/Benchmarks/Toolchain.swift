internal import Foundation

/// Runs installers and compilers to completion, without their output.
enum Toolchain {
    /// - Throws: ``BenchFailure`` if the program fails or takes longer than `seconds`.
    static func run(
        _ executable: String, _ arguments: [String], in directory: String? = nil, seconds: Double = 180
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = Date() + seconds
        while process.isRunning {
            if Date() > deadline { process.terminate() }
            Thread.sleep(forTimeInterval: 0.05)
        }
        guard process.terminationStatus == 0 else { throw BenchFailure("\(executable) failed") }
    }
}
