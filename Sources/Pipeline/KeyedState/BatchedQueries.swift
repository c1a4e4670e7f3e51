internal import PipelineRuntime
internal import Synchronization

/// Combines queries that many tasks make individually, such as one for each partition, into few requests: queries made
/// within a few milliseconds share a request.
final class BatchedQueries<Key: Hashable & Sendable, Answer: Sendable, Failure: Error>: Sendable {
    typealias Answers = [Key: Result<Answer, Failure>]
    private typealias Waiting = [Key: [CheckedContinuation<Result<Answer, Failure>, Never>]]

    private struct State {
        var waiting: Waiting = [:]
        var isScheduled = false
    }

    /// Time for which the first query waits for others.
    private static var pause: Duration { .milliseconds(3) }

    private let executor: HandlerThreads
    private let unanswered: Failure
    private let ask: @Sendable (Set<Key>, @escaping @Sendable (Answers) -> Void) async -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - unanswered: the error for a query that `ask` does not answer.
    ///   - ask: calls its second argument with answers as they come, once for each key, and returns after the last.
    init(
        on executor: HandlerThreads, unanswered: Failure,
        ask: @escaping @Sendable (Set<Key>, @escaping @Sendable (Answers) -> Void) async -> Void
    ) {
        self.executor = executor
        self.unanswered = unanswered
        self.ask = ask
    }

    /// Queries a key and waits for its answer, as long as `ask` takes.
    func answer(to key: Key) async throws(Failure) -> Answer {
        let result = await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting[key, default: []].append(continuation)
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            // Runs in its own task, because the others must not depend on the first one, which may be cancelled; it
            // ends with the answers that all of them wait for.
            if isFirst { Task(executorPreference: executor) { await self.askForAll() } }
        }
        return try result.get()
    }

    private func askForAll() async {
        try? await Task.sleep(for: Self.pause)
        let asked = state.withLock { state in
            state.isScheduled = false
            defer { state.waiting = [:] }
            return state.waiting
        }
        let open = Mutex(asked)
        await ask(Set(asked.keys)) { answers in
            for (key, answer) in answers {
                for waiter in open.withLock({ $0.removeValue(forKey: key) }) ?? [] { waiter.resume(returning: answer) }
            }
        }
        // Every waiting task is resumed, even if the answers were incomplete.
        for waiter in open.withLock({ $0.values.flatMap { $0 } }) { waiter.resume(returning: .failure(unanswered)) }
    }
}
