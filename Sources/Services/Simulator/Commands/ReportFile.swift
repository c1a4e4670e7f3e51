internal import Primitives

/// The file named by `--report`, with one JSON line for each attempt and for each notification that is never posted.
final class ReportFile {
    private let file: FileDescriptor
    private var buffer: [UInt8] = []
    /// The first write error, after which nothing more is written.
    private var failure: (any Error)?

    /// Creates the file, or truncates an existing one.
    init(path: String) throws {
        do throws(FileDescriptor.Failure) {
            file = try FileDescriptor(replacing: path)
        } catch {
            throw SimulatorError(description: "\(path) cannot be written: \(error)")
        }
    }

    func append(_ line: String) {
        buffer.append(contentsOf: line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= 65536 { flush() }
    }

    /// - Throws: the first write error.
    func close() throws {
        flush()
        if let failure { throw failure }
    }

    private func flush() {
        guard failure == nil else { return }
        do {
            try file.write(buffer)
        } catch {
            failure = error
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
