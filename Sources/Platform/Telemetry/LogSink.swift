internal import Synchronization

/// A destination for log lines.
public protocol LogSink: Sendable {
    /// Writes one line, including its line feed. Never blocks: a line that does not fit in the queue is dropped and
    /// counted.
    func write(_ line: [UInt8])

    /// Waits until every line has been written or the time limit has passed.
    ///
    /// - Returns: whether every line was written.
    func flush(within limit: Duration) -> Bool

    /// The number of lines dropped since startup.
    var droppedLines: Int { get }
}

/// Keeps lines in memory, for tests and for tools that print the log at the end.
public final class MemoryLogSink: LogSink {
    private let stored = Mutex<[String]>([])

    public init() {}

    /// All lines without their line feeds.
    public var lines: [String] { stored.withLock { $0 } }

    public func write(_ line: [UInt8]) {
        let text = String(decoding: line.last == 10 ? line.dropLast() : line[...], as: UTF8.self)
        stored.withLock { $0.append(text) }
    }

    public func flush(within limit: Duration) -> Bool { true }

    public var droppedLines: Int { 0 }
}
