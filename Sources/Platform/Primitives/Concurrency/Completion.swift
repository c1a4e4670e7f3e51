internal import Dispatch
internal import Synchronization

/// A one-time event that any number of tasks may await.
package final class Completion: Sendable {
    private struct State {
        var isComplete = false
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Completes the event and resumes all waiters. Further calls have no effect. Can be called from any thread.
    package func complete() {
        let waiters = state.withLock { state in
            state.isComplete = true
            defer { state.waiters = [:] }
            return state.waiters.values.map { $0 }
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    package var isComplete: Bool { state.withLock { $0.isComplete } }

    /// Waits for the event without a time limit. Use it only for events that are certain to happen within a bounded
    /// time.
    package func wait() async {
        let number = nextNumber()
        _ = await withCheckedContinuation { register($0, number) }
    }

    /// Waits for at most `limit`.
    ///
    /// - Parameter endsWhenCancelled: whether cancelling the task also ends the wait. Leave it false in cleanup code,
    ///   which often runs in a cancelled task.
    /// - Returns: whether the event happened; false if the wait ended first.
    package func wait(within limit: Duration, endsWhenCancelled: Bool = false) async -> Bool {
        let number = nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard register(continuation, number) else { return }
                // If the task was already cancelled, the cancellation handler ran before the waiter was registered.
                if endsWhenCancelled, Task.isCancelled { return resume(number) }
                DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(limit.clampedNanoseconds))) {
                    self.resume(number)
                }
            }
        } onCancel: {
            if endsWhenCancelled { resume(number) }
        }
    }

    /// Waits for all of the events, but in total for at most `limit`.
    package static func wait(for completions: [Completion], within limit: Duration) async {
        let end = ContinuousClock.now + limit
        for completion in completions { _ = await completion.wait(within: end - ContinuousClock.now) }
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
    }

    /// Registers a waiter. If the event has already happened, resumes the continuation and returns false.
    @discardableResult
    private func register(_ continuation: CheckedContinuation<Bool, Never>, _ number: Int) -> Bool {
        let isRegistered = state.withLock { state in
            if state.isComplete { return false }
            state.waiters[number] = continuation
            return true
        }
        if !isRegistered { continuation.resume(returning: true) }
        return isRegistered
    }

    /// Ends one wait before the event has happened.
    private func resume(_ number: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.resume(returning: false)
    }
}
