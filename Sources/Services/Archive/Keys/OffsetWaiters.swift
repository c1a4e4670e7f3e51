internal import Synchronization

/// Tasks waiting for the keys topic to be read up to an offset.
final class OffsetWaiters: Sendable {
    private struct State {
        var position: Int64 = 0
        var lastId = 0
        var waiters: [Int: (offset: Int64, continuation: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Mutex(State())

    /// Returns once all records before `offset` have been read.
    ///
    /// - Throws: `CancellationError`, or the error passed to ``fail(_:)`` while waiting.
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
            // If the task was cancelled before it was added to `waiters`, there is nothing to remove: the task checks
            // for cancellation and does not wait.
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Resumes the tasks waiting for offsets up to `position`, because all earlier records have been read.
    func advance(to position: Int64) {
        let ready = state.withLock { state in
            state.position = position
            let ready = state.waiters.filter { $0.value.offset <= position }
            for id in ready.keys { state.waiters[id] = nil }
            return ready
        }
        for waiter in ready.values { waiter.continuation.resume() }
    }

    /// Resumes all waiting tasks with an error, because the topic currently cannot be read.
    func fail(_ error: any Error) {
        let failed = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in failed.values { waiter.continuation.resume(throwing: error) }
    }
}
