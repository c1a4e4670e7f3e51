internal import Kafka
internal import Synchronization

/// A group of publications that callers wait for together.
final class StateDelivery: Sendable {
    struct Outcome: Sendable {
        /// Highest acknowledged offset; nil if there is none.
        var offset: Int64?
        var acknowledged = 0
        /// Errors for publications that were not acknowledged, by publication number.
        var failures: [UInt64: KafkaError] = [:]
        /// Whether each failed publication was the only one outstanding in its partition.
        var failedAlone = true
    }

    private struct State {
        var outstanding = 0
        var isSealed = false
        var outcome = Outcome()
        var count = 0
        /// Errors, by key, for rows that the brokers refuse even when published alone; nil until determined.
        var refusals: [RowKey: KafkaError]?
        var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var lastWaiter: UInt64 = 0

        var isComplete: Bool { isSealed && outstanding == 0 }
    }

    let partition: KafkaTopicPartition
    private let state = Mutex(State())

    init(_ partition: KafkaTopicPartition) { self.partition = partition }

    func expect() {
        state.withLock { state in
            state.outstanding += 1
            state.count += 1
        }
    }

    /// Number of publications.
    var count: Int { state.withLock { $0.count } }

    /// Errors, by key, for rows that the brokers refuse even when published alone; nil until determined.
    var refusals: [RowKey: KafkaError]? { state.withLock { $0.refusals } }

    func resolve(_ refusals: [RowKey: KafkaError]) { state.withLock { $0.refusals = refusals } }

    /// Records the brokers' answer to a publication.
    ///
    /// - Parameter isAlone: whether no other publication of the partition was outstanding in the meantime.
    func report(_ number: UInt64, _ result: Result<KafkaDelivery, KafkaError>, isAlone: Bool) {
        change { state in
            switch result {
            case .success(let delivery):
                state.outcome.acknowledged += 1
                state.outcome.offset = max(state.outcome.offset ?? -1, delivery.offset.rawValue)
            case .failure(let error):
                state.outcome.failures[number] = error
                state.outcome.failedAlone = state.outcome.failedAlone && isAlone
            }
            state.outstanding -= 1
        }
    }

    /// Seals the delivery: no more publications are added.
    func seal() { change { $0.isSealed = true } }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            guard state.isComplete else { return [CheckedContinuation<Bool, Never>]() }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    /// Returns whether a publication was acknowledged. Always false until the delivery is complete.
    func isAcknowledged(_ number: UInt64) -> Bool {
        state.withLock { $0.isComplete && $0.outcome.failures[number] == nil }
    }

    /// Whether all publications were acknowledged. False until the delivery is complete.
    var isAcknowledged: Bool { state.withLock { $0.isComplete && $0.outcome.failures.isEmpty } }

    /// Waits until every publication is acknowledged or refused.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first; the publications continue regardless.
    func outcome() async throws -> Outcome {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let isComplete = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.isComplete { return true }
                    if Task.isCancelled { return false }
                    state.waiters[id] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: false)
        }
        guard isComplete else { throw CancellationError() }
        return state.withLock { $0.outcome }
    }
}
