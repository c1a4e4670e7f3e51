internal import Primitives
internal import Synchronization

/// Limits the bytes written to the quarantine topic, so that a client cannot fill the brokers' disks with nonconforming
/// notifications signed by Apple. Uses a token bucket of bytes that refills evenly over an hour.
final class QuarantineBudget: Sendable {
    private let bucket: Mutex<TokenBucket>

    /// Creates a full bucket. `nowNanoseconds` comes from a monotonic clock.
    init(bytesPerHour: Int, nowNanoseconds: UInt64) {
        let capacity = Double(bytesPerHour)
        bucket = Mutex(TokenBucket(capacity: capacity, perSecond: capacity / 3600, now: nowNanoseconds))
    }

    /// Takes `bytes` from the bucket and returns true. If the bucket contains fewer, takes none and returns false.
    func take(_ bytes: Int, nowNanoseconds: UInt64) -> Bool {
        bucket.withLock { $0.take(Double(bytes), now: nowNanoseconds) }
    }

    /// Puts back the bytes of a record that was not written.
    func giveBack(_ bytes: Int) { bucket.withLock { $0.putBack(Double(bytes)) } }

    /// Returns the share of the bucket that has been used, from 0 to 1. Operators should be alerted at 0.5.
    func spentShare(nowNanoseconds: UInt64) -> Double {
        bucket.withLock { bucket in
            bucket.capacity > 0 ? 1 - bucket.available(now: nowNanoseconds) / bucket.capacity : 1
        }
    }
}
