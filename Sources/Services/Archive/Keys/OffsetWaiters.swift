internal import Synchronization

/// Tasks that wait until the keys topic was read up to an offset.
final class OffsetWaiters: Sendable {
    private struct State {
        var position: Int64 = 0
        var lastId = 0
        var waiters: [Int: (offset: Int64, continuation: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Mutex(State())

    /// Returns when everything before `offset` was read.
    ///
    /// - Throws: `CancellationError`, or what ``fail(_:)`` was given meanwhile.
    func wait(until offset: Int64) async throws {
        let id = state.withLock { state in
            state.lastId += 1
            return state.lastId
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.position >= offset { return .success(()) }
                    state.waiters[id] = (offset, continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            // Before the lock is taken above, the task is cancelled already and does not wait.
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Everything before `position` was read.
    func advance(to position: Int64) {
        let ready = state.withLock { state in
            state.position = position
            let ready = state.waiters.filter { $0.value.offset <= position }
            for id in ready.keys { state.waiters[id] = nil }
            return ready
        }
        for waiter in ready.values { waiter.continuation.resume() }
    }

    /// The topic cannot be read now.
    func fail(_ error: any Error) {
        let failed = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in failed.values { waiter.continuation.resume(throwing: error) }
    }
}
