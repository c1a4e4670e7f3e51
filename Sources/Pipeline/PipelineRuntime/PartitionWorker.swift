internal import Kafka
internal import Telemetry
internal import Time

/// Runs the handler over the records of one assignment of one partition, from the assignment to the release.
///
/// Reads while the window has room, hands over, and stores the offset up to which everything is finished: a record is
/// finished when the handler said so, or when its dead letter is acknowledged. A record that was not started when the
/// partition is given up is left to the next owner.
struct PartitionWorker: Sendable {
    let partition: KafkaAssignedPartition
    let handler: PipelineHandler
    let options: PipelineOptions
    let window: PartitionWindow
    /// Returns when the broker has acknowledged the record.
    let sendDeadLetter: @Sendable (KafkaProducerRecord) async throws -> Void
    let telemetry: PipelineTelemetry

    /// Returns when nothing of the partition runs any more; lets the group go on.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await work() }
            // Lost, or given up without waiting further: what still runs is told to stop.
            group.addTask { await partition.untilEnded() }
            await group.next()
            group.cancelAll()
        }
        await handler.partitionReleased(partition.topicPartition)
        await partition.release()
    }

    private func work() async {
        guard await prepare() else { return }
        switch handler {
        case .records(let handler): await runLanes(handler)
        case .batches(let handler): await runBatches(handler)
        }
    }

    /// Lets the handler get ready for the partition, however long that takes.
    private func prepare() async -> Bool {
        var failures = 0
        while partition.isActive {
            do {
                try await handler.partitionAssigned(partition.topicPartition)
                return true
            } catch {
                failures += 1
                telemetry.preparationFailed(partition.topicPartition, error)
                guard await pause(afterFailures: failures) else { return false }
            }
        }
        return false
    }

    // MARK: Records one at a time

    /// One reader, and lanes that each run one record at a time: records of one key go to one lane.
    private func runLanes(_ handler: any RecordHandler) async {
        await withTaskGroup(of: Void.self) { group in
            var lanes: [AsyncStream<KafkaRecord>.Continuation] = []
            for _ in 0..<max(1, options.lanes) {
                // Bounded by the window.
                let (records, lane) = AsyncStream.makeStream(of: KafkaRecord.self)
                lanes.append(lane)
                group.addTask {
                    for await record in records {
                        guard await process(record, by: { try await handler.handle($0) }) else { break }
                    }
                    window.close()
                }
            }
            var choice = LaneChoice(lanes: lanes.count)
            while let records = await read(atMost: .max) {
                for record in records { lanes[choice.lane(for: record.key)].yield(record) }
            }
            for lane in lanes { lane.finish() }
        }
    }

    // MARK: Batches

    private func runBatches(_ handler: any BatchHandler) async {
        while let records = await read(atMost: max(1, options.maximumBatch), bytes: options.maximumBatchBytes) {
            var rest = records[...]
            var failures = 0
            while !rest.isEmpty {
                guard partition.isActive, let step = await handOver(rest, to: handler) else { return }
                failures = step.rest.count < rest.count ? 0 : failures
                rest = step.rest
                guard step.mustWait else { continue }
                failures += 1
                guard await partition.pause(for: step.wait ?? backoff(afterFailures: failures)) else { return }
            }
        }
    }

    private struct BatchStep {
        var rest: ArraySlice<KafkaRecord>
        /// Before the rest is handed over again.
        var mustWait = false
        /// For this time, or for the backoff when nil.
        var wait: Duration?
    }

    /// One call of a batch handler and what follows from it; nil when the partition is over.
    private func handOver(_ records: ArraySlice<KafkaRecord>, to handler: any BatchHandler) async -> BatchStep? {
        let verdicts: [HandlerVerdict]
        do {
            let start = MonotonicClock.nanoseconds()
            verdicts = try await handler.handle(Array(records))
            telemetry.handled(since: start)
            guard verdicts.count == records.count else {
                throw WrongNumberOfVerdicts(records: records.count, verdicts: verdicts.count)
            }
        } catch {
            switch Fault(error, isCancelled: Task.isCancelled) {
            case .cancellation:
                return nil
            case .infrastructure:
                telemetry.retry(partition.topicPartition, .infrastructure, error)
                return BatchStep(rest: records, mustWait: true)
            case .record:
                // One at a time, so that only the one at fault is dead-lettered.
                for record in records {
                    guard await process(record, by: { try await one($0, by: handler) }) else { return nil }
                }
                return BatchStep(rest: [])
            }
        }
        return await apply(verdicts, to: records)
    }

    private func one(_ record: KafkaRecord, by handler: any BatchHandler) async throws -> HandlerVerdict {
        let verdicts = try await handler.handle([record])
        guard let verdict = verdicts.first, verdicts.count == 1 else {
            throw WrongNumberOfVerdicts(records: 1, verdicts: verdicts.count)
        }
        return verdict
    }

    private func apply(_ verdicts: [HandlerVerdict], to records: ArraySlice<KafkaRecord>) async -> BatchStep? {
        var next: KafkaOffset?
        var step = BatchStep(rest: records)
        var isOver = false
        verdicts: for (record, verdict) in zip(records, verdicts) {
            switch verdict {
            case .done, .skip:
                telemetry.finished(record, verdict)
            case .deadLetter(let reason):
                let cause = DeadLetterCause(deciding: reason, attempts: 1, firstFailure: nil)
                guard await writeDeadLetter(of: record, cause) else {
                    isOver = true
                    break verdicts
                }
            case .retry(let duration):
                telemetry.retry(partition.topicPartition, .infrastructure, nil)
                step.mustWait = true
                step.wait = duration
                break verdicts
            }
            next = window.finish(record) ?? next
            step.rest = step.rest.dropFirst()
        }
        if let next { await partition.store(nextOffset: next) }
        return isOver ? nil : step
    }

    // MARK: Both

    /// The next records, when the window has room for them; nil when the partition is over.
    private func read(atMost most: Int, bytes: Int = .max) async -> [KafkaRecord]? {
        guard let room = await window.waitForRoom(),
            let records = await partition.next(
                maxRecords: min(most, room.records), maxBytes: min(bytes, room.bytes))
        else { return nil }
        return window.admit(records)
    }

    /// Handles one record until it is finished.
    ///
    /// - Returns: false when it was left unfinished because the partition is over.
    private func process(
        _ record: KafkaRecord, by handle: (KafkaRecord) async throws -> HandlerVerdict
    ) async -> Bool {
        var attempts = RecordAttempts(maximum: options.maximumAttempts)
        while partition.isActive {
            let step: RecordAttempts.Step
            var thrown: (any Error)?
            do {
                let start = MonotonicClock.nanoseconds()
                let verdict = try await handle(record)
                telemetry.handled(since: start)
                step = attempts.answered(verdict)
            } catch {
                step = attempts.threw(error, at: SystemClock.wallMilliseconds(), isCancelled: Task.isCancelled)
                thrown = error
            }
            switch step {
            case .finish(let verdict):
                telemetry.finished(record, verdict)
                await finish(record)
                return true
            case .deadLetter(let cause):
                guard await writeDeadLetter(of: record, cause) else { return false }
                await finish(record)
                return true
            case .wait(let duration, let fault):
                telemetry.retry(partition.topicPartition, fault, thrown)
                guard await partition.pause(for: duration ?? backoff(afterFailures: attempts.failures)) else {
                    return false
                }
            case .stop:
                return false
            }
        }
        return false
    }

    private func finish(_ record: KafkaRecord) async {
        if let next = window.finish(record) { await partition.store(nextOffset: next) }
    }

    /// Writes the dead letter, however long that takes: one that cannot be written keeps the partition where it is.
    private func writeDeadLetter(of record: KafkaRecord, _ cause: DeadLetterCause) async -> Bool {
        let topic = options.deadLetterTopic(of: record.topic)
        let letter = DeadLetter.record(of: record, to: topic, group: options.group, cause: cause)
        var failures = 0
        while true {
            do {
                try await sendDeadLetter(letter)
                telemetry.deadLettered(record, to: topic, cause)
                return true
            } catch {
                failures += 1
                telemetry.deadLetterFailed(record, to: topic, error)
                guard await pause(afterFailures: failures) else { return false }
            }
        }
    }

    private func backoff(afterFailures failures: Int) -> Duration {
        var generator = SystemRandomNumberGenerator()
        return RetryBackoff(first: options.firstBackoff, maximum: options.maximumBackoff)
            .delay(afterFailures: failures, using: &generator)
    }

    private func pause(afterFailures failures: Int) async -> Bool {
        await partition.pause(for: backoff(afterFailures: failures))
    }
}

/// A batch handler did not answer one verdict for each record.
struct WrongNumberOfVerdicts: Error, CustomStringConvertible {
    let records: Int
    let verdicts: Int

    var description: String { "\(verdicts) verdicts for \(records) records" }
}

extension PipelineHandler {
    func partitionAssigned(_ partition: KafkaTopicPartition) async throws {
        switch self {
        case .records(let handler): try await handler.partitionAssigned(partition)
        case .batches(let handler): try await handler.partitionAssigned(partition)
        }
    }

    func partitionReleased(_ partition: KafkaTopicPartition) async {
        switch self {
        case .records(let handler): await handler.partitionReleased(partition)
        case .batches(let handler): await handler.partitionReleased(partition)
        }
    }
}
