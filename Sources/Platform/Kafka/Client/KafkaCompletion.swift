internal import Dispatch
internal import Synchronization

/// Something that happens once and that many may wait for, each with a limit.
package final class KafkaCompletion: Sendable {
    private struct State {
        var isComplete = false
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Wakes everybody who waits. Further calls do nothing.
    func complete() {
        let waiters = state.withLock { state in
            state.isComplete = true
            defer { state.waiters = [:] }
            return state.waiters.values.map { $0 }
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    var isComplete: Bool { state.withLock { $0.isComplete } }

    /// Returns `true` when it has happened, `false` when `limit` passed first.
    package func wait(within limit: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            let number: Int? = state.withLock { state in
                if state.isComplete { return nil }
                state.nextWaiter += 1
                state.waiters[state.nextWaiter] = continuation
                return state.nextWaiter
            }
            guard let number else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(limit.nanoseconds)) {
                let waiter = self.state.withLock { $0.waiters.removeValue(forKey: number) }
                waiter?.resume(returning: false)
            }
        }
    }
}

extension Duration {
    /// Whole nanoseconds, at most 292 years, never negative.
    var nanoseconds: Int {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        let (product, overflow) = Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return .max }
        let (sum, overflowed) = product.addingReportingOverflow(Int(attoseconds / 1_000_000_000))
        return overflowed ? .max : sum
    }

    /// Whole milliseconds rounded up, as librdkafka's calls take them.
    package var milliseconds: Int32 {
        Int32(clamping: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1))
    }
}
