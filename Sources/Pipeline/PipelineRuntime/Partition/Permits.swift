internal import Primitives
internal import Synchronization

/// A fixed number of permits, granted in request order.
package final class Permits: Sendable {
    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var free: Int
        var lastId: UInt64 = 0
        /// IDs in request order. The ID of a cancelled request is skipped when its turn comes.
        var order = FIFO<UInt64>()
        var waiters: [UInt64: Waiter] = [:]

        mutating func take(_ count: Int) -> Bool {
            guard waiters.isEmpty, free >= count else { return false }
            free -= count
            return true
        }
    }

    package let limit: Int
    private let state: Mutex<State>

    package init(_ limit: Int) {
        self.limit = max(1, limit)
        state = Mutex(State(free: max(1, limit)))
    }

    /// Acquires permits, up to `limit`.
    ///
    /// - Returns: false if the task was cancelled and no permit was acquired.
    package func acquire(_ count: Int = 1) async -> Bool {
        let count = min(count, limit)
        if state.withLock({ $0.take(count) }) { return true }
        let id = state.withLock { state in
            state.lastId += 1
            return state.lastId
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    // Check again: if the task was cancelled before the waiter was added, the cancellation handler did
                    // not find it.
                    if Task.isCancelled { return false }
                    if state.take(count) { return true }
                    state.order.append(id)
                    state.waiters[id] = Waiter(count: count, continuation: continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let (cancelled, next) = state.withLock { state in
                (state.waiters.removeValue(forKey: id), Self.served(&state))
            }
            cancelled?.continuation.resume(returning: false)
            for waiter in next { waiter.continuation.resume(returning: true) }
        }
    }

    /// Acquires permits if enough are free and no other request is waiting. Returns whether it acquired them.
    func acquireNow(_ count: Int = 1) -> Bool { state.withLock { $0.take(min(count, limit)) } }

    /// The number of waiting requests.
    var waiting: Int { state.withLock { $0.waiters.count } }

    package func release(_ count: Int = 1) {
        let next = state.withLock { state in
            state.free += min(count, limit)
            return Self.served(&state)
        }
        for waiter in next { waiter.continuation.resume(returning: true) }
    }

    /// Runs `body` with a permit, or without one if the task is cancelled.
    package func with<Result>(_ body: () throws -> Result) async rethrows -> Result {
        let isHeld = await acquire()
        defer { if isHeld { release() } }
        return try body()
    }

    private static func served(_ state: inout State) -> [Waiter] {
        var served: [Waiter] = []
        while let first = state.order.first {
            if let waiter = state.waiters[first] {
                guard waiter.count <= state.free else { break }
                state.free -= waiter.count
                state.waiters[first] = nil
                served.append(waiter)
            }
            _ = state.order.popFirst()
        }
        return served
    }
}
