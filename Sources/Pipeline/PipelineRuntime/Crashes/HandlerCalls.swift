internal import Kafka
internal import Synchronization

/// Tracks running handler calls, to find handlers that crash the process or do not return.
final class HandlerCalls: Sendable {
    /// Whether a record is suspected of crashing the process, based on the crashes of earlier processes.
    enum Finding: Equatable {
        /// No suspicion, or fewer crashes than the limit.
        case innocent
        /// The record was being handled during at least three crashes, so it is now handled alone.
        case suspect
        /// The process crashed while no other record was being handled.
        case certain(crashes: Int)
    }

    private struct State {
        var freeSlots: [Int]
        var suspicions: [Suspicion]
    }

    private let file: CallFile?
    private let deadline: CallDeadline?
    private let state: Mutex<State>
    private let isolation: CallIsolation
    /// Whether any suspicion has reached the limit of crashes.
    let hasSuspects: Bool

    /// - Parameters:
    ///   - file: the file that lists running calls, or nil if crashes are not counted.
    ///   - deadline: the time limit for a call, or nil for no limit.
    ///   - isolation: shared with the other consumers of the process.
    init(file: CallFile? = nil, deadline: CallDeadline? = nil, isolation: CallIsolation = CallIsolation()) {
        self.file = file
        self.deadline = deadline
        self.isolation = isolation
        let suspicions = file?.suspicions ?? []
        state = Mutex(
            State(freeSlots: file == nil ? [] : Array((0..<CallFile.slots).reversed()), suspicions: suspicions))
        hasSuspects = suspicions.contains { $0.crashes >= Suspicion.tolerated }
        if hasSuspects { isolation.turnOn() }
        if let file { CrashSignals.note(at: file.crashWord) }
    }

    func finding(_ record: KafkaRecord) -> Finding {
        guard hasSuspects else { return .innocent }
        let topic = PartitionHash.of(record.topic)
        let met = state.withLock { state in
            state.suspicions.filter {
                $0.contains(topic, Int64(record.partition.rawValue), record.offset.rawValue)
            }
        }
        if let certain = met.first(where: { $0.isCertain && $0.first == $0.last }) {
            return .certain(crashes: Int(clamping: certain.crashes))
        }
        return met.contains { $0.crashes >= Suspicion.tolerated } ? .suspect : .innocent
    }

    /// Calls a handler and records the call in the file.
    ///
    /// - Parameters:
    ///   - first: the call's first record.
    ///   - last: the call's last record, from the same partition.
    ///   - isAlone: whether to wait until no other call of the process is running, and to block other calls until this
    ///     one ends.
    /// - Throws: any error thrown by `body`; `CancellationError` if the task is cancelled before the call begins.
    func call<Result>(
        first: KafkaRecord, last: KafkaRecord, isAlone: Bool = false, _ body: () async throws -> Result
    ) async throws -> Result {
        let permits = isolation.permits
        let count = isAlone ? permits?.limit ?? 1 : 1
        if let permits, await !permits.acquire(count) { throw CancellationError() }
        let slot = begin(first, last, isAlone: isAlone)
        let watched = deadline?.begin(first)
        defer {
            // The process ends after an overdue call, even if that call returns. It stays in the file, so that the next
            // process finds the record.
            let isOverdue = watched.map { deadline?.end($0) ?? false } ?? false
            if !isOverdue { end(slot) }
            permits?.release(count)
        }
        return try await body()
    }

    /// Clears the suspicion against a record, because its effect or its dead letter is durable.
    func finished(_ record: KafkaRecord) {
        guard hasSuspects else { return }
        let (offset, partition) = (record.offset.rawValue, Int64(record.partition.rawValue))
        let topic = PartitionHash.of(record.topic)
        forget { $0.first == offset && $0.last == offset && $0.contains(topic, partition, offset) }
    }

    /// Clears all suspicions in a partition before this offset.
    func finished(_ place: KafkaTopicPartition, before nextOffset: KafkaOffset) {
        guard file != nil, state.withLock({ !$0.suspicions.isEmpty }) else { return }
        let topic = PartitionHash.of(place.topic)
        forget {
            $0.topicHash == topic && $0.partition == Int64(place.partition.rawValue) && $0.last < nextOffset.rawValue
        }
    }

    private func forget(_ isOver: (Suspicion) -> Bool) {
        state.withLock { state in
            let kept = state.suspicions.filter { !isOver($0) }
            guard kept.count < state.suspicions.count else { return }
            state.suspicions = kept
            file?.write(kept)
        }
    }

    /// Records the start of a call and returns its slot, or nil if there is no file or no free slot. Without a slot,
    /// the call is not recorded.
    private func begin(_ first: KafkaRecord, _ last: KafkaRecord, isAlone: Bool) -> Int? {
        guard let file, let slot = state.withLock({ $0.freeSlots.popLast() }) else { return nil }
        let offsets = first.offset.rawValue...max(first.offset.rawValue, last.offset.rawValue)
        file.begin(
            slot: slot, PartitionHash.of(first.topic), Int64(first.partition.rawValue), offsets, isAlone: isAlone)
        return slot
    }

    private func end(_ slot: Int?) {
        guard let file, let slot else { return }
        file.end(slot: slot)
        state.withLock { $0.freeSlots.append(slot) }
    }
}
