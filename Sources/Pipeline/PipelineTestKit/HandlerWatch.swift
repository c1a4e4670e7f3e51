internal import Kafka
internal import PipelineRuntime
internal import Synchronization

/// The position of a record in the log.
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

/// Wraps a handler for the runtime, tracks finished records, and injects faults if the scenario requires it.
final class HandlerWatch: Sendable {
    /// The fault to inject into calls to the handler.
    enum Mode: Sendable {
        case passing
        /// The first call for a record fails before it reaches the handler, and the second fails after the handler has
        /// returned.
        case failing
        /// After a call to ``HandlerWatch/stall()``, the next call waits for its cancellation before it reaches the
        /// handler.
        case stalling
    }

    /// An injected infrastructure fault.
    private struct Fault: InfrastructureFault {}

    private struct State {
        var finished: Set<RecordPosition> = []
        var deadLetters: [RecordPosition: String] = [:]
        var calls: [RecordPosition: Int] = [:]
        var underWay = 0
        var mustStall = false
        var isStalled = false
        /// Records that were appended but not flushed.
        var appended: [KafkaTopicPartition: [RecordPosition]] = [:]
        var lastError: String?
    }

    private let state = Mutex(State())

    /// Records that need no further processing because they are done, skipped or dead-lettered.
    var finished: Set<RecordPosition> { state.withLock { $0.finished } }
    /// The reason for each dead-lettered record.
    var deadLetters: [RecordPosition: String] { state.withLock { $0.deadLetters } }
    /// The highest number of calls for any record.
    var mostCalls: Int { state.withLock { $0.calls.values.max() ?? 0 } }
    var callsUnderWay: Int { state.withLock { $0.underWay } }
    var isStalled: Bool { state.withLock { $0.isStalled } }
    var lastError: String? { state.withLock { $0.lastError } }

    /// Makes the next call stall, if the mode supports it.
    func stall() { state.withLock { $0.mustStall = true } }

    /// Resets to the state before the first record.
    func forget() { state.withLock { $0 = State() } }

    func watching(_ handler: PipelineHandler, _ mode: Mode) -> PipelineHandler {
        switch handler {
        case .records(let handler): .records(WatchedRecords(handler: handler, watch: self, mode: mode))
        case .batches(let handler): .batches(WatchedBatches(handler: handler, watch: self, mode: mode))
        case .flushing(let handler): .flushing(WatchedFlushing(handler: handler, watch: self, mode: mode))
        }
    }

    /// Records a dead letter instead of sending it to the broker.
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

    /// Calls the handler once for records of a partition.
    ///
    /// - Parameter isAppending: whether a record with the verdict `done` becomes durable only with the next flush.
    fileprivate func call(
        _ records: [KafkaRecord], _ mode: Mode, isAppending: Bool = false,
        _ handle: () async throws -> [HandlerVerdict]
    ) async throws -> [HandlerVerdict] {
        let verdicts = try await call(records.first?.position, mode, handle)
        if !Task.isCancelled { note(verdicts, of: records, isAppending: isAppending) }
        return verdicts
    }

    /// Flushes the records appended to a partition.
    fileprivate func flush(
        _ partition: KafkaTopicPartition, _ mode: Mode, _ flush: () async throws -> Void
    ) async throws {
        let appended = state.withLock { $0.appended[partition] ?? [] }
        try await call(appended.first, mode, flush)
        guard !Task.isCancelled else { return }
        state.withLock { state in
            state.finished.formUnion(appended)
            state.appended[partition] = nil
        }
    }

    fileprivate func released(_ partition: KafkaTopicPartition) { state.withLock { $0.appended[partition] = nil } }

    private func call<Result>(
        _ first: RecordPosition?, _ mode: Mode, _ handle: () async throws -> Result
    ) async throws -> Result {
        let (number, mustStall) = begin(first, mode)
        defer { state.withLock { $0.underWay -= 1 } }
        if case .failing = mode, number == 1 { throw Fault() }
        // The sleep ends when the call is cancelled.
        if mustStall { try? await Task.sleep(for: .seconds(3600)) }
        let result: Result
        do {
            result = try await handle()
        } catch {
            state.withLock { $0.lastError = "\(error)" }
            throw error
        }
        if case .failing = mode, number == 2 { throw Fault() }
        return result
    }

    /// Returns the number of attempts for the first record, and whether this call stalls.
    private func begin(_ first: RecordPosition?, _ mode: Mode) -> (Int, Bool) {
        state.withLock { state in
            state.underWay += 1
            var mustStall = false
            if case .stalling = mode, state.mustStall {
                mustStall = true
                state.isStalled = true
            }
            guard let first else { return (0, mustStall) }
            state.calls[first, default: 0] += 1
            return (state.calls[first] ?? 0, mustStall)
        }
    }

    private func note(_ verdicts: [HandlerVerdict], of records: [KafkaRecord], isAppending: Bool) {
        guard verdicts.count == records.count else { return }
        state.withLock { state in
            for (record, verdict) in zip(records, verdicts) {
                switch verdict {
                case .done where isAppending:
                    state.appended[record.topicPartition, default: []].append(record.position)
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

private struct WatchedFlushing: FlushingHandler {
    let handler: any FlushingHandler
    let watch: HandlerWatch
    let mode: HandlerWatch.Mode

    func append(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        // If a fault were injected after an append, the runtime would append the records again, and the wrapper rather
        // than the handler would violate the contract.
        let mode: HandlerWatch.Mode = if case .failing = mode { .passing } else { mode }
        return try await watch.call(records, mode, isAppending: true) { try await handler.append(records) }
    }

    func flush(_ partition: KafkaTopicPartition) async throws {
        try await watch.flush(partition, mode) { try await handler.flush(partition) }
    }

    func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws {
        try await handler.partitionAssigned(partition, startingAt: start)
    }

    func partitionReleased(_ partition: KafkaTopicPartition) async {
        await handler.partitionReleased(partition)
        watch.released(partition)
    }
}
