internal import Glibc
internal import Time

/// Structured log: constant messages with fields, one line each, as JSON or as text for people.
///
/// Logging never waits: a line is formatted by the caller and handed to a ``LogSink`` with a bounded queue.
public struct Logger: Sendable {
    /// How much a line matters. `warning`: unexpected, but nothing is lost; `error`: loss, or an operator is needed.
    public enum Level: String, Sendable, CaseIterable, Comparable {
        case debug, info, warning, error

        public static func < (left: Level, right: Level) -> Bool { left.order < right.order }

        private var order: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warning: 2
            case .error: 3
            }
        }
    }

    /// How a line is written.
    public enum Format: String, Sendable, CaseIterable {
        /// An object on one line.
        case json
        /// `time LEVEL logger message key=value …`, coloured on a terminal.
        case text
    }

    /// Who logs; the name of the executable or of a part of it.
    public let label: String
    /// Lines below it are not formatted.
    public let level: Level
    let format: LogLineFormat
    private let sink: any LogSink
    private let fields: [LogField]
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - label: the name of the executable.
    ///   - level: the lowest level that is written.
    ///   - format: how a line is written.
    ///   - sink: where lines go.
    ///   - isColoured: whether text lines carry terminal colours.
    ///   - now: wall time in milliseconds since 1970.
    package init(
        label: String, level: Level, format: Format, sink: any LogSink, isColoured: Bool = false,
        now: @escaping @Sendable () -> Int64 = SystemClock.wallMilliseconds
    ) {
        self.init(
            label: label, level: level, format: LogLineFormat(format: format, isColoured: isColoured), sink: sink,
            fields: [], now: now)
    }

    private init(
        label: String, level: Level, format: LogLineFormat, sink: any LogSink, fields: [LogField],
        now: @escaping @Sendable () -> Int64
    ) {
        self.label = label
        self.level = level
        self.format = format
        self.sink = sink
        self.fields = fields
        self.now = now
    }

    /// The same logger with fields that every line carries.
    public func with(_ more: [LogField]) -> Logger {
        Logger(label: label, level: level, format: format, sink: sink, fields: fields + more, now: now)
    }

    /// Something that only a developer asks for.
    public func debug(_ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []) {
        log(.debug, message, metadata())
    }

    /// What the process does in its normal life.
    public func info(_ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []) {
        log(.info, message, metadata())
    }

    /// Unexpected, but nothing is lost.
    public func warning(_ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []) {
        log(.warning, message, metadata())
    }

    /// Loss, or an operator is needed.
    public func error(_ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []) {
        log(.error, message, metadata())
    }

    /// A line of a level that is decided while running.
    public func log(_ level: Level, _ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []) {
        guard level >= self.level else { return }
        sink.write(
            format.line(
                timeMilliseconds: now(), level: level, label: label, message: message.description,
                fields: fields + metadata()))
    }

    /// Waits until every line is written, or the time is over. For the end of a process: it blocks the thread.
    ///
    /// - Returns: whether every line was written.
    @discardableResult
    public func flush(within limit: Duration) -> Bool { sink.flush(within: limit) }
}

extension Logger {
    /// The logger of an executable: standard error through a ``LogWriter``.
    ///
    /// Text lines are coloured when standard error is a terminal.
    public static func standardError(label: String, level: Level, format: Format) -> Logger {
        let isColoured = format == .text && isatty(STDERR_FILENO) == 1
        let lineFormat = LogLineFormat(format: format, isColoured: isColoured)
        let writer = LogWriter(descriptor: STDERR_FILENO) { dropped in
            lineFormat.line(
                timeMilliseconds: SystemClock.wallMilliseconds(), level: .warning, label: label,
                message: "log lines dropped", fields: [LogField(.count, dropped)])
        }
        return Logger(label: label, level: level, format: format, sink: writer, isColoured: isColoured)
    }
}
