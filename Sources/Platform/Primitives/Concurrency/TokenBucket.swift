/// A rate limiter: a bucket that refills steadily up to its capacity. The caller provides the current time.
package struct TokenBucket: Sendable {
    package let capacity: Double
    private let perNanosecond: Double
    private var tokens: Double
    private var refilledAt: UInt64

    /// Creates a full bucket. Negative numbers are treated as 0.
    ///
    /// - Parameter now: nanoseconds on a monotonic clock; use the same clock for all calls.
    package init(capacity: Double, perSecond: Double, now: UInt64) {
        self.capacity = max(0, capacity)
        perNanosecond = max(0, perSecond) / 1_000_000_000
        tokens = self.capacity
        refilledAt = now
    }

    /// Takes `count` tokens. Returns false without any change if fewer are available.
    package mutating func take(_ count: Double = 1, now: UInt64) -> Bool {
        guard available(now: now) >= count else { return false }
        tokens -= count
        return true
    }

    /// Returns unused tokens to the bucket.
    package mutating func putBack(_ count: Double) { tokens = min(capacity, tokens + count) }

    /// Returns the number of available tokens.
    package mutating func available(now: UInt64) -> Double {
        if now > refilledAt {
            tokens = min(capacity, tokens + Double(now - refilledAt) * perNanosecond)
            refilledAt = now
        }
        return tokens
    }
}
