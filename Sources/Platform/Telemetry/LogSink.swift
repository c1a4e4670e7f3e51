internal import Synchronization

/// Where log lines go.
package protocol LogSink: Sendable {
    /// Takes one line, its line feed included. Never waits; a line for which there is no room is dropped and counted.
    func write(_ line: [UInt8])

    /// Waits until every line is written, or the time is over.
    ///
    /// - Returns: whether every line was written.
    func flush(within limit: Duration) -> Bool

    /// How many lines were dropped since the start.
    var droppedLines: Int { get }
}

/// Keeps lines in memory, for tests and for tools that show their log at the end.
package final class MemoryLogSink: LogSink {
    private let stored = Mutex<[String]>([])

    package init() {}

    /// All lines, without their line feeds.
    package var lines: [String] { stored.withLock { $0 } }

    package func write(_ line: [UInt8]) {
        let text = String(decoding: line.last == 10 ? line.dropLast() : line[...], as: UTF8.self)
        stored.withLock { $0.append(text) }
    }

    package func flush(within limit: Duration) -> Bool { true }

    package var droppedLines: Int { 0 }
}
