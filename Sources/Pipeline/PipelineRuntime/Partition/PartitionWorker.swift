internal import Kafka
internal import Telemetry

/// Runs the handler on one partition's records, from assignment to release.
///
/// The worker reads while the window has capacity, dispatches records, and stores the offset before which all records
/// are finished. A record is finished when the handler has returned `done` or `skip` (and, for a ``FlushingHandler``,
/// has flushed it), or when its dead letter is acknowledged. Records not yet started when the partition is revoked are
/// left to the next owner.
struct PartitionWorker: Sendable {
    let partition: any WorkerPartition
    let handler: PipelineHandler
    let options: PipelineOptions
    let window: PartitionWindow
    let turns: BatchTurns
    let calls: HandlerCalls
    /// Sends a dead letter. Returns once the broker has acknowledged the record; otherwise throws.
    let sendDeadLetter: @Sendable (KafkaProducerRecord) async throws -> Void
    let telemetry: PipelineTelemetry
    let handled: HandledOffsets
    let pause: GroupPause
    /// Traces handler calls; nil if tracing is off.
    let tracing: HandlerTracing?

    /// Runs until the partition has no remaining work, then releases the partition to the group.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await work() }
            // If the partition is lost, or is revoked and not released in time, cancel the remaining work.
            group.addTask { await partition.untilEnded() }
            await group.next()
            group.cancelAll()
        }
        turns.remove(partition.topicPartition)
        await handler.partitionReleased(partition.topicPartition)
        await partition.release()
    }

    private func work() async {
        calls.finished(partition.topicPartition, before: partition.startOffset)
        guard await prepare() else { return }
        switch handler {
        case .records(let handler): await handleRecords(by: handler)
        case .batches(let handler): await handleBatches(by: handler)
        case .flushing(let handler): await handleAndFlush(by: handler)
        }
    }

    /// Lets the handler prepare for the partition, with unlimited retries. Cancelled when the partition is revoked.
    private func prepare() async -> Bool {
        var failures = 0
        while partition.isActive {
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await handler.partitionAssigned(
                            partition.topicPartition, startingAt: partition.startOffset)
                    }
                    group.addTask {
                        await partition.untilInactive()
                        throw CancellationError()
                    }
                    defer { group.cancelAll() }
                    try await group.next()
                }
                return true
            } catch {
                guard partition.isActive else { return false }
                failures += 1
                telemetry.preparationFailed(partition.topicPartition, error)
                guard await wait(afterFailures: failures) else { return false }
            }
        }
        return false
    }

    /// Waits while the group is paused. The partition remains assigned. It is read ahead once, so that the age of its
    /// next record is known, and then not polled.
    ///
    /// - Returns: false if the assignment has ended.
    func untilRunning() async -> Bool {
        while pause.isPaused, partition.isActive, !Task.isCancelled {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await pause.untilRunning() }
                group.addTask { await partition.untilInactive() }
                await group.next()
                group.cancelAll()
            }
        }
        return partition.isActive && !Task.isCancelled
    }

    /// Reads the next records once the window has capacity for them. Returns nil if the assignment has ended.
    func read() async -> [KafkaRecord]? {
        guard let room = await window.waitForRoom(),
            let records = await partition.next(maxRecords: room.records, maxBytes: room.bytes)
        else { return nil }
        return window.admit(records)
    }

    func finish(_ record: KafkaRecord) async {
        calls.finished(record)
        if let next = window.finish(record.offset) { await store(next) }
    }

    func store(_ next: KafkaOffset) async {
        calls.finished(partition.topicPartition, before: next)
        handled.finished(before: next, of: partition.topicPartition)
        await partition.store(nextOffset: next)
    }

    /// Writes the dead letter for a record, with unlimited retries. Until it is written, the committed offset does not
    /// advance past the record. If the topic rejects the content of the dead letter, the dead letter is written in a
    /// different form.
    ///
    /// - Returns: false if the assignment has ended.
    func writeDeadLetter(of record: KafkaRecord, _ cause: DeadLetterCause) async -> Bool {
        let topic = options.deadLetterTopic(of: record.topic)
        var form = DeadLetterForm()
        var failures = 0
        while true {
            do {
                try await sendDeadLetter(
                    DeadLetter.record(of: record, to: topic, group: options.group, cause: cause, form: form))
                telemetry.deadLettered(record, to: topic, cause, form.content)
                return true
            } catch {
                // If the topic rejects this form, it would also reject every further attempt, and the record must not
                // block the records after it.
                if form.change(after: error, of: record) { continue }
                failures += 1
                telemetry.deadLetterFailed(record, to: topic, error)
                guard await wait(afterFailures: failures) else { return false }
            }
        }
    }

    func backoff(afterFailures failures: Int) -> Duration {
        var generator = SystemRandomNumberGenerator()
        return RetryBackoff(first: options.firstBackoff, maximum: options.maximumBackoff)
            .delay(afterFailures: failures, using: &generator)
    }

    func wait(afterFailures failures: Int) async -> Bool {
        await partition.pause(for: backoff(afterFailures: failures))
    }
}

extension PipelineHandler {
    func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws {
        switch self {
        case .records(let handler): try await handler.partitionAssigned(partition)
        case .batches(let handler): try await handler.partitionAssigned(partition)
        case .flushing(let handler): try await handler.partitionAssigned(partition, startingAt: start)
        }
    }

    func partitionReleased(_ partition: KafkaTopicPartition) async {
        switch self {
        case .records(let handler): await handler.partitionReleased(partition)
        case .batches(let handler): await handler.partitionReleased(partition)
        case .flushing(let handler): await handler.partitionReleased(partition)
        }
    }
}
