internal import Kafka
internal import Telemetry

/// Handles records in batches, with one verdict per record.
extension PartitionWorker {
    func handleBatches(by handler: any BatchHandler) async {
        while let room = await window.waitForRoom(), let records = await readBatch(within: room) {
            var rest = records[...]
            var failures = 0
            while !rest.isEmpty {
                guard await untilRunning(),
                    let step = await dispatch(
                        rest, to: { try await handler.handle($0) },
                        finish: { verdicts in
                            var next: KafkaOffset?
                            for (record, verdict) in verdicts {
                                telemetry.finished(record, verdict)
                                calls.finished(record)
                                next = window.finish(record.offset) ?? next
                            }
                            if let next { await store(next) }
                        })
                else { return }
                failures = step.rest.count < rest.count ? 0 : failures
                rest = step.rest
                guard step.mustWait else { continue }
                failures += 1
                turns.end(partition.topicPartition)
                guard await partition.pause(for: step.wait ?? backoff(afterFailures: failures)) else { return }
            }
        }
    }

    /// Waits for the partition's turn, if it has a backlog, and reads its next batch. Returns nil if the assignment has
    /// ended.
    func readBatch(within room: PartitionWindow.Room, limit: Duration? = nil) async -> [KafkaRecord]? {
        let most = min(max(1, options.maximumBatch), room.records)
        let limits = await turns.next(of: partition)
        let bytes = min(limits.bytes, room.bytes)
        guard
            let records = await partition.next(
                maxRecords: most, maxBytes: bytes, within: limits.isLarge ? .zero : limit)
        else { return nil }
        turns.begin(records, of: partition.topicPartition, atMost: most, bytes: bytes)
        return window.admit(records)
    }

    /// The next step after a call to a batch handler.
    struct BatchStep {
        var rest: ArraySlice<KafkaRecord>
        /// Whether to wait before dispatching the remaining records again.
        var mustWait = false
        /// The duration of the wait, or nil for the backoff.
        var wait: Duration?
    }

    typealias Verdicts = [(KafkaRecord, HandlerVerdict)]

    /// Calls the handler once and applies its verdicts.
    ///
    /// - Parameter finish: called with the records that need no further call: `done`, `skip`, and acknowledged
    ///   `deadLetter`.
    /// - Returns: nil if the assignment has ended.
    func dispatch(
        _ records: ArraySlice<KafkaRecord>, to handle: ([KafkaRecord]) async throws -> [HandlerVerdict],
        finish: (Verdicts) async -> Void
    ) async -> BatchStep? {
        guard let first = records.first else { return BatchStep(rest: records) }
        // A record that may crash the process is handled alone.
        let batch = calls.hasSuspects ? records.prefix { calls.finding($0) == .innocent } : records
        guard let last = batch.last else {
            guard await oneByOne([first], handle, finish) else { return nil }
            return BatchStep(rest: records.dropFirst())
        }
        do {
            let start = MonotonicClock.nanoseconds()
            let verdicts = try await calls.call(first: first, last: last) {
                guard let tracing else { return try await handle(Array(batch)) }
                return try await tracing.call(batch) { try await handle(Array(batch)) }
            }
            telemetry.handled(since: start)
            guard verdicts.count == batch.count else {
                throw WrongNumberOfVerdicts(records: batch.count, verdicts: verdicts.count)
            }
            return await apply(verdicts, to: batch, of: records, finish)
        } catch {
            switch Fault(error, isCancelled: Task.isCancelled) {
            case .cancellation:
                return nil
            case .infrastructure:
                telemetry.retry(partition.topicPartition, .infrastructure, error)
                return BatchStep(rest: records, mustWait: true)
            case .record:
                guard await oneByOne(batch, handle, finish) else { return nil }
                return BatchStep(rest: records.dropFirst(batch.count))
            }
        }
    }

    /// Handles records one at a time, so that only the faulty record is dead-lettered.
    private func oneByOne(
        _ records: ArraySlice<KafkaRecord>, _ handle: ([KafkaRecord]) async throws -> [HandlerVerdict],
        _ finish: (Verdicts) async -> Void
    ) async -> Bool {
        for record in records {
            let outcome = await process(record) { record in
                let verdicts = try await handle([record])
                guard let verdict = verdicts.first, verdicts.count == 1 else {
                    throw WrongNumberOfVerdicts(records: 1, verdicts: verdicts.count)
                }
                return verdict
            }
            guard let outcome else { return false }
            await finish([(record, outcome)])
        }
        return true
    }

    private func apply(
        _ verdicts: [HandlerVerdict], to batch: ArraySlice<KafkaRecord>, of records: ArraySlice<KafkaRecord>,
        _ finish: (Verdicts) async -> Void
    ) async -> BatchStep? {
        var step = BatchStep(rest: records)
        var finished: Verdicts = []
        for (record, verdict) in zip(batch, verdicts) {
            if case .retry(let duration) = verdict {
                telemetry.retry(partition.topicPartition, .infrastructure, nil)
                step.mustWait = true
                step.wait = duration
                break
            }
            finished.append((record, verdict))
        }
        guard await writeDeadLetters(of: finished) else { return nil }
        await finish(finished)
        step.rest = records.dropFirst(finished.count)
        return step
    }

    /// Writes all dead letters concurrently, because each one waits for an acknowledgement.
    private func writeDeadLetters(of finished: Verdicts) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            for (record, verdict) in finished {
                guard case .deadLetter(let reason) = verdict else { continue }
                let cause = DeadLetterCause(deciding: reason, attempts: 1, firstFailure: nil)
                group.addTask { await writeDeadLetter(of: record, cause) }
            }
            return await group.allSatisfy { $0 }
        }
    }
}

/// A batch handler did not return one verdict per record.
struct WrongNumberOfVerdicts: Error, CustomStringConvertible {
    let records: Int
    let verdicts: Int

    var description: String { "\(verdicts) verdicts for \(records) records" }
}
