internal import Synchronization

/// Bounds what the quarantine topic may take: whoever holds odd but genuine notifications could otherwise fill the
/// brokers' disks with them. A bucket of bytes that refills evenly over an hour.
final class QuarantineBudget: Sendable {
    private struct State {
        var available: Double
        var refilledAt: UInt64
    }

    private let bytesPerHour: Double
    private let state: Mutex<State>

    /// Starts full. `nowNanoseconds` is of a monotonic clock.
    init(bytesPerHour: Int, nowNanoseconds: UInt64) {
        self.bytesPerHour = Double(max(0, bytesPerHour))
        self.state = Mutex(State(available: Double(max(0, bytesPerHour)), refilledAt: nowNanoseconds))
    }

    /// Takes `bytes` out of the bucket; false, and nothing taken, when there are not that many.
    func take(_ bytes: Int, nowNanoseconds: UInt64) -> Bool {
        state.withLock { state in
            refill(&state, nowNanoseconds)
            guard state.available >= Double(bytes) else { return false }
            state.available -= Double(bytes)
            return true
        }
    }

    /// Puts back what was taken for a record that was not written.
    func giveBack(_ bytes: Int) {
        state.withLock { $0.available = min(bytesPerHour, $0.available + Double(bytes)) }
    }

    /// The share of the bucket that is spent, 0 to 1: alert at one half.
    func spentShare(nowNanoseconds: UInt64) -> Double {
        state.withLock { state in
            refill(&state, nowNanoseconds)
            return bytesPerHour > 0 ? 1 - state.available / bytesPerHour : 1
        }
    }

    private func refill(_ state: inout State, _ now: UInt64) {
        guard now > state.refilledAt else { return }
        let hours = Double(now - state.refilledAt) / 3.6e12
        state.available = min(bytesPerHour, state.available + hours * bytesPerHour)
        state.refilledAt = now
    }
}
