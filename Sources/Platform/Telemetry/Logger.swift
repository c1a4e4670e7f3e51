internal import Glibc
internal import Primitives

/// A structured logger. Each call writes one line with a constant message and fields, as JSON or as human-readable
/// text.
///
/// Logging never blocks: the calling thread formats the line and passes it to a ``LogSink`` with a bounded queue.
public struct Logger: Sendable {
    /// The severity of a line: `warning` for unexpected events without loss; `error` for lost data, or if an operator
    /// must act.
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

    /// The log line format.
    public enum Format: String, Sendable, CaseIterable {
        /// A JSON object on one line.
        case json
        /// `time LEVEL logger message key=value …`, colored on a terminal.
        case text
    }

    /// The name of the executable or component that writes the log.
    public let label: String
    /// The minimum level; lines below it are not formatted.
    public let level: Level
    let format: LogLineFormat
    private let sink: any LogSink
    private let fields: [LogField]
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - label: the name of the executable.
    ///   - level: the minimum level.
    ///   - format: the line format.
    ///   - sink: the destination for lines.
    ///   - isColoured: whether text lines contain terminal colors.
    ///   - now: returns the wall-clock time in milliseconds since 1970.
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

    /// Returns a logger that adds these fields to every line.
    public func with(_ more: [LogField]) -> Logger {
        Logger(label: label, level: level, format: format, sink: sink, fields: fields + more, now: now)
    }

    /// Logs details for developers.
    public func debug(_ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []) {
        log(.debug, message, metadata())
    }

    /// Logs normal operation.
    public func info(_ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []) {
        log(.info, message, metadata())
    }

    /// Logs an unexpected event that causes no loss.
    public func warning(_ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []) {
        log(.warning, message, metadata())
    }

    /// Logs a loss, or an event that requires an operator to act.
    public func error(_ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []) {
        log(.error, message, metadata())
    }

    /// Logs a line with a level determined at run time.
    public func log(_ level: Level, _ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []) {
        guard level >= self.level else { return }
        sink.write(
            format.line(
                timeMilliseconds: now(), level: level, label: label, message: message.description,
                fields: fields + metadata()))
    }

    /// Waits until every line has been written or the time limit has passed. This function blocks the thread, so call
    /// it only at the end of a process.
    ///
    /// - Returns: whether every line was written.
    @discardableResult
    public func flush(within limit: Duration) -> Bool { sink.flush(within: limit) }
}

extension Logger {
    /// Creates an executable's logger, which writes to standard error through a `LogWriter`.
    ///
    /// Text lines are colored if standard error is a terminal.
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
