internal import Dispatch
internal import Kafka
internal import Primitives
internal import Synchronization

/// Detects handler calls that do not return in time.
final class CallDeadline: Sendable {
    private struct Call {
        let place: KafkaTopicPartition
        let offset: KafkaOffset
        let since: Int64
    }

    private struct State {
        var lastId: UInt64 = 0
        var calls: [UInt64: Call] = [:]
        /// The overdue call that was reported, or nil if there was none.
        var reported: UInt64?
    }

    let limit: Duration
    private let state = Mutex(State())
    private let onExceeded: @Sendable (KafkaTopicPartition, KafkaOffset) -> Void
    /// A serial queue has a dedicated thread, which runs even if all other threads are blocked.
    private let queue = DispatchQueue(label: "pipeline.deadline")

    /// - Parameter onExceeded: called at most once, with the partition and offset of the first record of the oldest
    ///   overdue call.
    init(_ limit: Duration, onExceeded: @escaping @Sendable (KafkaTopicPartition, KafkaOffset) -> Void) {
        self.limit = limit
        self.onExceeded = onExceeded
        checkAgain()
    }

    /// Repeats the check until this object is released.
    private func checkAgain() {
        let interval = min(max(limit.clampedNanoseconds / 8, 1_000_000), 1_000_000_000)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(interval))) { [weak self] in
            self?.check(at: MonotonicClock.nanoseconds())
            self?.checkAgain()
        }
    }

    func begin(_ record: KafkaRecord, at now: Int64 = MonotonicClock.nanoseconds()) -> UInt64 {
        state.withLock { state in
            state.lastId += 1
            state.calls[state.lastId] = Call(place: record.topicPartition, offset: record.offset, since: now)
            return state.lastId
        }
    }

    /// Ends a call.
    ///
    /// - Returns: whether the call was reported as overdue.
    @discardableResult
    func end(_ id: UInt64) -> Bool {
        state.withLock { state in
            state.calls[id] = nil
            return state.reported == id
        }
    }

    func check(at now: Int64) {
        let late = state.withLock { state -> Call? in
            guard state.reported == nil, let oldest = state.calls.min(by: { $0.value.since < $1.value.since }),
                now - oldest.value.since > limit.clampedNanoseconds
            else { return nil }
            state.reported = oldest.key
            return oldest.value
        }
        if let late { onExceeded(late.place, late.offset) }
    }
}
