internal import Kafka
internal import Synchronization

/// The database changes for a batch of records from one partition.
struct StateWrite: Sendable {
    var rows: [RowWrite]
    /// New rows, copied from their records.
    var copies = CopiedRows()
    let partition: KafkaTopicPartition
    /// The next offset to apply.
    let next: Int64
    /// Current time, milliseconds since 1970.
    let now: Int64
    /// Whether any records were published under a fingerprint other than `form`.
    var isOtherForm = false
    var form: Int64 = 0
    /// The last record before the position; nil if it is unknown.
    var last: RecordPrint?
    /// States, by key, that were refused before and have now been published. Each is deleted from the stored refused
    /// states if no newer state has been stored for the key in the meantime.
    var fitting: [[UInt8]: [UInt8]] = [:]
}

extension StateWrite {
    init<Model: StateModel>(
        _ applied: StatePartition<Model>.Applied, of partition: StatePartition<Model>, next: Int64, now: Int64,
        last: RecordPrint? = nil
    ) {
        self.init(
            rows: applied.writes, copies: applied.copies, partition: partition.name, next: next, now: now,
            isOtherForm: applied.hasOtherForm,
            form: partition.form, last: last, fitting: applied.fitting)
    }
}

/// Combines simultaneous writes for several partitions into one transaction, which is cheaper than a transaction for
/// each write, because the rows share table and log pages.
final class StateWriter: Sendable {
    typealias Outcome = Result<[Int64], StateError>

    private struct Waiting {
        let write: StateWrite
        /// Resumed with the outcome, or with nil if the waiting task must now run the next transaction.
        let continuation: CheckedContinuation<Outcome?, Never>
    }

    private struct State {
        /// Waiting writes, at most one per partition.
        var waiting: [Waiting] = []
        var isWriting = false
    }

    private let store: StateStore
    private let state = Mutex(State())

    init(_ store: StateStore) { self.store = store }

    /// Commits the write in one transaction with the writes that are waiting at that time, and returns once it is
    /// committed.
    ///
    /// - Returns: the row ids, in order; 0 for removed rows.
    func apply(_ write: StateWrite) async throws(StateError) -> [Int64] {
        let outcome = await withCheckedContinuation { continuation in
            let mayWrite = state.withLock { state in
                guard state.isWriting else {
                    state.isWriting = true
                    return true
                }
                state.waiting.append(Waiting(write: write, continuation: continuation))
                return false
            }
            if mayWrite { continuation.resume(returning: nil) }
        }
        return try (outcome ?? applyWithWaiting(write)).get()
    }

    private func applyWithWaiting(_ own: StateWrite) -> Outcome {
        let others = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        let ownOutcome: Outcome
        var outcomes: [Outcome]
        do {
            outcomes = try store.apply([own] + others.map(\.write)).map { .success($0) }
            ownOutcome = outcomes.removeFirst()
        } catch {
            // A failure in one partition must not delay the others.
            ownOutcome = others.isEmpty ? .failure(error) : alone(own)
            outcomes = others.map { alone($0.write) }
        }
        let next = state.withLock { state in
            state.isWriting = !state.waiting.isEmpty
            return state.isWriting ? state.waiting.removeFirst() : nil
        }
        for (waiting, outcome) in zip(others, outcomes) { waiting.continuation.resume(returning: outcome) }
        next?.continuation.resume(returning: nil)
        return ownOutcome
    }

    private func alone(_ write: StateWrite) -> Outcome {
        do { return .success(try store.apply(write)) } catch { return .failure(error) }
    }
}
