internal import Kafka
internal import Synchronization

/// The calls of handlers that are under way, for two ends of the process: a handler that crashes it, and one that does
/// not return.
final class HandlerCalls: Sendable {
    /// What the crashes of earlier processes say of a record.
    enum Finding: Equatable {
        /// Nothing, or too little.
        case innocent
        /// It was in work in three crashes: it is handled while nothing else is.
        case suspect
        /// The process crashed while only this record was in work.
        case certain(crashes: Int)
    }

    private struct State {
        var freeSlots: [Int]
        var suspicions: [Suspicion]
    }

    private let file: CallFile?
    private let deadline: CallDeadline?
    private let state: Mutex<State>
    /// Held by every call, and all of it by a call that runs alone; nil when no record is suspect.
    private let alone: Permits?

    /// - Parameters:
    ///   - file: nil when crashes are not counted.
    ///   - deadline: nil when calls may last as long as they like.
    init(file: CallFile? = nil, deadline: CallDeadline? = nil) {
        self.file = file
        self.deadline = deadline
        let suspicions = file?.suspicions ?? []
        state = Mutex(
            State(freeSlots: file == nil ? [] : Array((0..<CallFile.slots).reversed()), suspicions: suspicions))
        alone = suspicions.contains { $0.crashes >= Suspicion.tolerated } ? Permits(1 << 20) : nil
        if let file { CrashSignals.note(at: file.crashWord) }
    }

    /// Whether any record has to be looked at before it is handled.
    var hasSuspects: Bool { alone != nil }

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

    /// Calls a handler, with its records noted.
    ///
    /// - Parameters:
    ///   - records: not empty, of one partition, ascending.
    ///   - isAlone: waits until no other call is under way, and lets none begin.
    /// - Throws: what `body` throws; `CancellationError` when the task is cancelled before it begins.
    func call<Result>(
        first: KafkaRecord, last: KafkaRecord, isAlone: Bool = false, _ body: () async throws -> Result
    ) async throws -> Result {
        let permits = alone.map { isAlone ? $0.limit : 1 }
        if let alone, let permits, await !alone.acquire(permits) { throw CancellationError() }
        let slot = begin(first, last, isAlone: isAlone)
        let watched = deadline?.begin(first)
        defer {
            if let watched { deadline?.end(watched) }
            end(slot)
            if let alone, let permits { alone.release(permits) }
        }
        return try await body()
    }

    /// The record needs nothing more: its effect or its dead letter is durable.
    func finished(_ record: KafkaRecord) {
        guard hasSuspects else { return }
        let (offset, partition) = (record.offset.rawValue, Int64(record.partition.rawValue))
        let topic = PartitionHash.of(record.topic)
        forget { $0.first == offset && $0.last == offset && $0.contains(topic, partition, offset) }
    }

    /// Everything of the partition before this offset needs nothing more.
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

    /// Nil when there is no file, or more calls are under way than it has slots: that call is not noted.
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
