internal import PipelineRuntime
internal import Synchronization

/// Combines queries that many tasks make individually, such as one per partition, into a few requests: queries made
/// within a few milliseconds of each other share a request.
final class BatchedQueries<Key: Hashable & Sendable, Answer: Sendable, Failure: Error>: Sendable {
    typealias Answers = [Key: Result<Answer, Failure>]
    private typealias Waiting = [Key: [CheckedContinuation<Result<Answer, Failure>, Never>]]

    private struct State {
        var waiting: Waiting = [:]
        var isScheduled = false
    }

    /// How long the first query waits for others to join it.
    private static var pause: Duration { .milliseconds(3) }

    private let executor: HandlerThreads
    private let unanswered: Failure
    private let ask: @Sendable (Set<Key>, @escaping @Sendable (Answers) -> Void) async -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - unanswered: the error thrown for a query that `ask` does not answer.
    ///   - ask: passes each answer to its second argument as it arrives, once per key, and returns after the last one.
    init(
        on executor: HandlerThreads, unanswered: Failure,
        ask: @escaping @Sendable (Set<Key>, @escaping @Sendable (Answers) -> Void) async -> Void
    ) {
        self.executor = executor
        self.unanswered = unanswered
        self.ask = ask
    }

    /// Makes the query for a key and waits for its answer, for as long as `ask` takes.
    func answer(to key: Key) async throws(Failure) -> Answer {
        let result = await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting[key, default: []].append(continuation)
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            // The requests are made in a separate task, because the first caller may be cancelled and the other callers
            // must not depend on it. The task ends once all the answers that the callers are waiting for have arrived.
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
        // Resume every waiting task, even if the answers were incomplete.
        for waiter in open.withLock({ $0.values.flatMap { $0 } }) { waiter.resume(returning: .failure(unanswered)) }
    }
}
