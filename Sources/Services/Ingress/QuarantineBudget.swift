internal import Concurrency
internal import Synchronization

/// Bounds what the quarantine topic may take: whoever has nonconforming notifications that Apple signed could otherwise fill the
/// brokers' disks with them. A bucket of bytes that refills evenly over an hour.
final class QuarantineBudget: Sendable {
    private let bucket: Mutex<TokenBucket>

    /// Starts full. `nowNanoseconds` is of a monotonic clock.
    init(bytesPerHour: Int, nowNanoseconds: UInt64) {
        let capacity = Double(bytesPerHour)
        bucket = Mutex(TokenBucket(capacity: capacity, perSecond: capacity / 3600, now: nowNanoseconds))
    }

    /// Takes `bytes` out of the bucket; false, and nothing taken, when there are not that many.
    func take(_ bytes: Int, nowNanoseconds: UInt64) -> Bool {
        bucket.withLock { $0.take(Double(bytes), now: nowNanoseconds) }
    }

    /// Puts back what was taken for a record that was not written.
    func giveBack(_ bytes: Int) { bucket.withLock { $0.putBack(Double(bytes)) } }

    /// The share of the bucket that is spent, 0 to 1: alert at one half.
    func spentShare(nowNanoseconds: UInt64) -> Double {
        bucket.withLock { bucket in
            bucket.capacity > 0 ? 1 - bucket.available(now: nowNanoseconds) / bucket.capacity : 1
        }
    }
}
