internal import Primitives
internal import Synchronization

/// The finished spans that are waiting to be exported. When the queue is full, further spans are dropped and counted,
/// so that a slow or unreachable collector does not delay the process or increase its memory use.
package final class SpanQueue: Sendable {
    private struct State {
        var spans = FIFO<FinishedSpan>()
        var dropped: UInt64 = 0
        var batchReady = Completion()
    }

    /// The maximum number of spans.
    package let capacity: Int
    /// The maximum number of spans that are exported together.
    package let batch: Int
    private let state = Mutex(State())

    package init(capacity: Int = 2_048, batch: Int = 512) {
        self.capacity = max(1, capacity)
        self.batch = max(1, min(batch, capacity))
    }

    /// The number of spans dropped because the queue was full.
    package var dropped: UInt64 { state.withLock { $0.dropped } }

    /// The number of spans in the queue.
    package var count: Int { state.withLock { $0.spans.count } }

    func add(_ span: FinishedSpan) {
        let ready = state.withLock { state -> Completion? in
            guard state.spans.count < capacity else {
                state.dropped += 1
                return nil
            }
            state.spans.append(span)
            return state.spans.count == batch ? state.batchReady : nil
        }
        ready?.complete()
    }

    /// Waits until the queue contains a batch, the time limit has passed, or the task is cancelled.
    package func waitForBatch(within limit: Duration) async {
        _ = await state.withLock { $0.batchReady }.wait(within: limit, endsWhenCancelled: true)
    }

    /// Removes and returns the oldest spans, at most one batch.
    package func take() -> [FinishedSpan] {
        state.withLock { state in
            var spans: [FinishedSpan] = []
            while spans.count < batch, let span = state.spans.popFirst() { spans.append(span) }
            if state.spans.count < batch, state.batchReady.isComplete { state.batchReady = Completion() }
            return spans
        }
    }
}
