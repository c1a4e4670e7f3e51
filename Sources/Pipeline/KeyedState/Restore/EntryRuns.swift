internal import Glibc

/// Sorted runs of held index entries in a file that the system removes when it is closed.
final class EntryRuns {
    let file: Int32
    /// Byte ranges of the runs in the file, oldest first.
    private(set) var runs: [Range<Int>] = []

    /// - Throws: a ``StateError`` if the file cannot be created.
    init(path: String) throws(StateError) {
        // If a process ended between the next two calls, it left the file behind.
        unlink(path)
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure("create") }
        unlink(path)
    }

    deinit { close(file) }

    /// Adds a run of entries, which `body` must append in index order. If this fails, the file is unchanged.
    func add(_ body: (inout EntryRunWriter) throws(StateError) -> Void) throws(StateError) {
        var writer = EntryRunWriter(file, at: runs.last?.upperBound ?? 0)
        try body(&writer)
        runs.append(try writer.finish())
    }

    static func failure(_ verb: String) -> StateError {
        StateError(.sqlite, "cannot \(verb) the index entry file: \(String(cString: strerror(errno)))")
    }
}

/// Writes a run. Each entry consists of its name, the length of its value, its row, whether it is present, and the
/// value.
struct EntryRunWriter {
    static let headerLength = 24

    private static let capacity = 256 << 10

    private let file: Int32
    private let start: Int
    private var end: Int
    private var buffer: [UInt8] = []

    init(_ file: Int32, at start: Int) {
        self.file = file
        self.start = start
        end = start
        buffer.reserveCapacity(Self.capacity)
    }

    mutating func append(_ entry: HeldEntry) throws(StateError) {
        if buffer.count + Self.headerLength + entry.value.count > Self.capacity { try flush() }
        let lengths = UInt64(UInt32(truncatingIfNeeded: entry.name)) << 32 | UInt64(entry.value.count)
        let header = (lengths, UInt64(bitPattern: entry.row), UInt64(entry.isPresent ? 1 : 0))
        withUnsafeBytes(of: header) { buffer.append(contentsOf: $0) }
        buffer.append(contentsOf: entry.value)
    }

    /// Writes the rest of the run.
    ///
    /// - Returns: the byte range of the run.
    mutating func finish() throws(StateError) -> Range<Int> {
        try flush()
        return start..<end
    }

    private mutating func flush() throws(StateError) {
        var written = 0
        while written < buffer.count {
            let result = buffer.withUnsafeBytes { buffer in
                pwrite(file, buffer.baseAddress.map { $0 + written }, buffer.count - written, off_t(end))
            }
            guard result > 0 else {
                if result < 0, errno == EINTR { continue }
                throw EntryRuns.failure("write")
            }
            written += result
            end += result
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
