/// A rate limit: a bucket that refills evenly and never holds more than its capacity. A value without a clock.
package struct TokenBucket: Sendable {
    package let capacity: Double
    private let perNanosecond: Double
    private var tokens: Double
    private var refilledAt: UInt64

    /// Starts full. Negative numbers count as 0.
    ///
    /// - Parameter now: nanoseconds of a monotonic clock, the same for all calls.
    package init(capacity: Double, perSecond: Double, now: UInt64) {
        self.capacity = max(0, capacity)
        perNanosecond = max(0, perSecond) / 1_000_000_000
        tokens = self.capacity
        refilledAt = now
    }

    /// Takes `count` tokens; false, and nothing is taken, when there are not so many.
    package mutating func take(_ count: Double = 1, now: UInt64) -> Bool {
        guard available(now: now) >= count else { return false }
        tokens -= count
        return true
    }

    /// Puts back what was taken and not used.
    package mutating func putBack(_ count: Double) { tokens = min(capacity, tokens + count) }

    /// The tokens there are now.
    package mutating func available(now: UInt64) -> Double {
        if now > refilledAt {
            tokens = min(capacity, tokens + Double(now - refilledAt) * perNanosecond)
            refilledAt = now
        }
        return tokens
    }
}
