internal import Primitives
internal import Synchronization

/// A logger for lines that an untrusted client can cause. It limits the number of lines per second for each key. The
/// next logged line contains the number of suppressed lines.
///
/// Keys are codes from a closed set. After 256 keys, all others share one key, which bounds the memory used.
public final class RateLimitedLogger: Sendable {
    private struct Key {
        var bucket: TokenBucket
        var suppressed = 0
    }

    private static let maximumKeys = 256

    private let logger: Logger
    private let perSecond: Double
    private let now: @Sendable () -> UInt64
    private let keys = Mutex<[String: Key]>([:])

    /// - Parameters:
    ///   - logger: the logger to write to.
    ///   - perSecond: the maximum number of lines per second for each key, and the maximum burst.
    public convenience init(_ logger: Logger, perSecond: Int) {
        self.init(logger, perSecond: perSecond, now: SystemClock.monotonicNanoseconds)
    }

    /// - Parameter now: returns the monotonic time in nanoseconds.
    package init(_ logger: Logger, perSecond: Int, now: @escaping @Sendable () -> UInt64) {
        self.logger = logger
        self.perSecond = Double(perSecond)
        self.now = now
    }

    /// Logs the line or counts it as suppressed.
    public func log(
        _ level: Logger.Level, key: String, _ message: StaticString, _ metadata: @autoclosure () -> [LogField] = []
    ) {
        guard level >= logger.level, let suppressed = admit(key) else { return }
        let more = suppressed > 0 ? [LogField(.suppressed, suppressed)] : []
        logger.log(level, message, metadata() + more)
    }

    /// Returns the number of lines suppressed since this key's last logged line, or nil if this line is suppressed too.
    private func admit(_ name: String) -> Int? {
        let now = now()
        return keys.withLock { keys in
            let name = keys[name] != nil || keys.count < Self.maximumKeys ? name : ""
            var key = keys[name] ?? Key(bucket: TokenBucket(capacity: perSecond, perSecond: perSecond, now: now))
            defer { keys[name] = key }
            guard key.bucket.take(now: now) else {
                key.suppressed += 1
                return nil
            }
            defer { key.suppressed = 0 }
            return key.suppressed
        }
    }
}
