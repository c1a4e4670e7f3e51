internal import Foundation

/// The file of `--report`: one JSON line per attempt, and per notification that is never posted.
final class ReportFile {
    private let handle: FileHandle
    private var buffer = Data()
    /// The first line that could not be written; nothing is written after it.
    private var failure: (any Error)?

    /// Empties or creates the file.
    init(path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else {
            throw SimulatorError(description: "\(path) cannot be written")
        }
        self.handle = handle
    }

    func append(_ line: String) {
        buffer.append(contentsOf: line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= 65536 { flush() }
    }

    /// - Throws: the first failure of any write.
    func close() throws {
        flush()
        if let failure { throw failure }
        try handle.close()
    }

    private func flush() {
        guard failure == nil else { return }
        do {
            try handle.write(contentsOf: buffer)
        } catch {
            failure = error
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
