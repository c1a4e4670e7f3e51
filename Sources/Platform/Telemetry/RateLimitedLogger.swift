internal import Glibc
internal import Synchronization

/// A logger for lines that a stranger can cause: at most so many per second for each key; the next line that passes
/// says how many were held back.
///
/// A key is a code from a closed set. Beyond 256 keys all others share one, so that the memory is bounded.
package final class RateLimitedLogger: Sendable {
    private let logger: Logger
    private let perSecond: Int
    private let now: @Sendable () -> Int64
    private let windows = Mutex<[String: Window]>([:])

    private struct Window {
        var second: Int64
        var count: Int
        var suppressed: Int
    }

    private static let maximumKeys = 256

    /// - Parameters:
    ///   - logger: where the lines go.
    ///   - perSecond: the most lines per second and key.
    ///   - now: monotonic time in milliseconds.
    package init(
        _ logger: Logger, perSecond: Int, now: @escaping @Sendable () -> Int64 = RateLimitedLogger.monotonicMilliseconds
    ) {
        self.logger = logger
        self.perSecond = perSecond
        self.now = now
    }

    /// Logs the line, or counts it as held back.
    package func log(
        _ level: Logger.Level, key: String, _ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []
    ) {
        guard level >= logger.level, let suppressed = admit(key) else { return }
        let more = suppressed > 0 ? [LogField(.suppressed, suppressed)] : []
        logger.log(level, message, metadata() + more)
    }

    /// How many were held back since the last line of this key, or `nil` when this one is held back too.
    private func admit(_ key: String) -> Int? {
        let second = now() / 1_000
        return windows.withLock { windows in
            let known = windows[key] != nil || windows.count < Self.maximumKeys
            let name = known ? key : ""
            var window = windows[name] ?? Window(second: second, count: 0, suppressed: 0)
            if window.second != second {
                window.second = second
                window.count = 0
            }
            defer { windows[name] = window }
            guard window.count < perSecond else {
                window.suppressed += 1
                return nil
            }
            window.count += 1
            defer { window.suppressed = 0 }
            return window.suppressed
        }
    }

    /// Monotonic time in milliseconds.
    package static func monotonicMilliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}
