internal import Kafka
internal import PipelineRuntime
internal import Synchronization

/// Where a record stands.
struct RecordPosition: Hashable, Comparable, CustomStringConvertible {
    let topic: KafkaTopic
    let partition: KafkaPartition
    let offset: KafkaOffset

    var description: String { "offset \(offset) of \(topic)-\(partition)" }

    static func < (one: RecordPosition, other: RecordPosition) -> Bool {
        (one.topic.rawValue, one.partition, one.offset) < (other.topic.rawValue, other.partition, other.offset)
    }
}

extension KafkaRecord {
    fileprivate var position: RecordPosition { RecordPosition(topic: topic, partition: partition, offset: offset) }
}

/// Stands between the runtime and a handler: notes what is finished, and gets in the way where a scenario asks for it.
final class HandlerWatch: Sendable {
    /// What a call of the handler meets.
    enum Mode: Sendable {
        case passing
        /// The first call for a record fails before the handler, the second after it.
        case failing
        /// After so many calls the next one waits for its cancellation, then reaches the handler.
        case stalling(afterCalls: Int)
    }

    /// Something outside the record failed.
    private struct Fault: InfrastructureFault {}

    private struct State {
        var finished: Set<RecordPosition> = []
        var deadLetters: [RecordPosition: String] = [:]
        var calls: [RecordPosition: Int] = [:]
        var allCalls = 0
        var underWay = 0
        var isStalled = false
        var lastError: String?
    }

    private let state = Mutex(State())

    /// Records that need nothing more: done, skipped or dead-lettered.
    var finished: Set<RecordPosition> { state.withLock { $0.finished } }
    /// The reasons of what was dead-lettered.
    var deadLetters: [RecordPosition: String] { state.withLock { $0.deadLetters } }
    /// How often the record was tried that was tried most.
    var mostCalls: Int { state.withLock { $0.calls.values.max() ?? 0 } }
    var callsUnderWay: Int { state.withLock { $0.underWay } }
    var isStalled: Bool { state.withLock { $0.isStalled } }
    var lastError: String? { state.withLock { $0.lastError } }

    /// As before the first record.
    func forget() { state.withLock { $0 = State() } }

    func watching(_ handler: PipelineHandler, _ mode: Mode) -> PipelineHandler {
        switch handler {
        case .records(let handler): .records(WatchedRecords(handler: handler, watch: self, mode: mode))
        case .batches(let handler): .batches(WatchedBatches(handler: handler, watch: self, mode: mode))
        }
    }

    /// Instead of the broker's acknowledgement.
    func deadLettered(_ letter: KafkaProducerRecord) {
        func text(_ name: String) -> String {
            letter.headers.last { $0.key == name }?.value.map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        guard let partition = Int32(text("__connect.errors.partition")),
            let offset = Int64(text("__connect.errors.offset"))
        else { return }
        let position = RecordPosition(
            topic: KafkaTopic(rawValue: text("__connect.errors.topic")), partition: KafkaPartition(rawValue: partition),
            offset: KafkaOffset(rawValue: offset))
        let reason = "\(text("sluice.dlq.reason")), \(text("__connect.errors.exception.message"))"
        state.withLock { state in
            state.deadLetters[position] = reason
            state.finished.insert(position)
        }
    }

    /// One call for records of a partition.
    fileprivate func call(
        _ records: [KafkaRecord], _ mode: Mode, _ handle: () async throws -> [HandlerVerdict]
    ) async throws -> [HandlerVerdict] {
        let (number, all) = begin(records)
        defer { state.withLock { $0.underWay -= 1 } }
        if case .failing = mode, number == 1 { throw Fault() }
        if case .stalling(let calls) = mode, all > calls {
            state.withLock { $0.isStalled = true }
            // Ends by the cancellation that it waits for.
            try? await Task.sleep(for: .seconds(60))
        }
        let verdicts: [HandlerVerdict]
        do {
            verdicts = try await handle()
        } catch {
            state.withLock { $0.lastError = "\(error)" }
            throw error
        }
        if case .failing = mode, number == 2 { throw Fault() }
        if !Task.isCancelled { note(verdicts, of: records) }
        return verdicts
    }

    /// The number of this call for the first record, and of all calls.
    private func begin(_ records: [KafkaRecord]) -> (Int, Int) {
        state.withLock { state in
            state.underWay += 1
            state.allCalls += 1
            guard let first = records.first?.position else { return (0, state.allCalls) }
            state.calls[first, default: 0] += 1
            return (state.calls[first] ?? 0, state.allCalls)
        }
    }

    private func note(_ verdicts: [HandlerVerdict], of records: [KafkaRecord]) {
        guard verdicts.count == records.count else { return }
        state.withLock { state in
            for (record, verdict) in zip(records, verdicts) {
                switch verdict {
                case .done, .skip: state.finished.insert(record.position)
                case .deadLetter: break
                case .retry: return
                }
            }
        }
    }
}

private struct WatchedRecords: RecordHandler {
    let handler: any RecordHandler
    let watch: HandlerWatch
    let mode: HandlerWatch.Mode

    func handle(_ record: KafkaRecord) async throws -> HandlerVerdict {
        try await watch.call([record], mode) { [try await handler.handle(record)] }[0]
    }

    func partitionAssigned(_ partition: KafkaTopicPartition) async throws {
        try await handler.partitionAssigned(partition)
    }

    func partitionReleased(_ partition: KafkaTopicPartition) async { await handler.partitionReleased(partition) }
}

private struct WatchedBatches: BatchHandler {
    let handler: any BatchHandler
    let watch: HandlerWatch
    let mode: HandlerWatch.Mode

    func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        try await watch.call(records, mode) { try await handler.handle(records) }
    }

    func partitionAssigned(_ partition: KafkaTopicPartition) async throws {
        try await handler.partitionAssigned(partition)
    }

    func partitionReleased(_ partition: KafkaTopicPartition) async { await handler.partitionReleased(partition) }
}
