internal import Foundation

/// A program that responds to each line of input with a line of output.
final class Conversation {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts the program and waits until it reports that it is ready.
    init(_ command: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        guard try line() == "ready" else { throw BenchFailure("it did not start") }
    }

    func ask(_ question: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((question + "\n").utf8))
        return try line()
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func line() throws -> String {
        var bytes = Data()
        while bytes.last != UInt8(ascii: "\n") {
            let chunk = output.fileHandleForReading.availableData
            guard !chunk.isEmpty else { throw BenchFailure("it exited: it rejected a notification") }
            bytes += chunk
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}
