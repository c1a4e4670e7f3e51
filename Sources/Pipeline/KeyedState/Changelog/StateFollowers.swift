internal import PipelineRuntime
internal import Synchronization

/// The tasks that read a state's topics or stop reading them. They are counted so that ``end(within:)`` can wait for
/// them.
final class StateFollowers: Sendable {
    private struct State {
        var running = 0
        var isClosed = false
        var isOverdue = false
        /// The task that waits for all others to end; at most one at a time.
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let executor: HandlerThreads

    init(on executor: HandlerThreads) { self.executor = executor }

    /// Runs `body` in its own task, unless ``end(within:)`` has been called.
    ///
    /// - Returns: the task; nil if ``end(within:)`` has been called.
    @discardableResult
    func begin(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never>? {
        let mayBegin = state.withLock { state in
            if !state.isClosed { state.running += 1 }
            return !state.isClosed
        }
        guard mayBegin else { return nil }
        // `end(within:)` waits for this task.
        return Task(executorPreference: executor) { [self] in
            await body()
            wake { $0.running -= 1 }
        }
    }

    /// Prevents new tasks and waits for the running ones.
    ///
    /// - Returns: false if a task is still running after `limit`.
    func end(within limit: Duration) async -> Bool {
        state.withLock { state in
            state.isClosed = true
            state.isOverdue = false
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                if (try? await Task.sleep(for: limit)) != nil { wake { $0.isOverdue = true } }
            }
            await withCheckedContinuation { continuation in wake { $0.waiter = continuation } }
            group.cancelAll()
        }
        return state.withLock { $0.running == 0 }
    }

    /// Changes the state, and resumes the waiting task if no other task is left or the time limit has passed.
    private func wake(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            return state.running == 0 || state.isOverdue ? state.waiter.take() : nil
        }
        waiter?.resume()
    }
}
