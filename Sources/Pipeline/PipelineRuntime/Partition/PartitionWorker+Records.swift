internal import Kafka
internal import Primitives
internal import Telemetry

/// Handles single records: in order for each key, and concurrently for different keys.
extension PartitionWorker {
    /// Runs one reader, and one task per key with records, so that a retried record delays only its own key.
    func handleRecords(by handler: any RecordHandler) async {
        let queues = KeyQueues()
        let permits = Permits(options.concurrency)
        // The window limits the number of tasks.
        await withDiscardingTaskGroup { group in
            while let records = await read(), await untilRunning() {
                for record in records where queues.begin(record) {
                    group.addTask { await handleKey(from: record, queues, permits, handler) }
                }
            }
        }
    }

    private func handleKey(
        from first: KafkaRecord, _ queues: KeyQueues, _ permits: Permits, _ handler: any RecordHandler
    ) async {
        var record: KafkaRecord? = first
        while let current = record {
            let outcome = await process(current, permits) { record in
                // The partition may have been revoked while the record waited for a permit.
                guard partition.isActive else { throw CancellationError() }
                if pause.isPaused { throw GroupPaused() }
                return try await handler.handle(record)
            }
            // Without an outcome, the record stays unfinished, so no further records of this assignment are read.
            guard let outcome else { return window.close() }
            telemetry.finished(current, outcome)
            await finish(current)
            record = queues.next(after: current)
        }
    }

    /// Handles one record until it needs no further attempt.
    ///
    /// - Parameter permits: limits the concurrent calls; nil if the caller limits them.
    /// - Returns: `done`, `skip` or `deadLetter` (acknowledged), or nil if the record is left to the next owner.
    func process(
        _ record: KafkaRecord, _ permits: Permits? = nil, by handle: (KafkaRecord) async throws -> HandlerVerdict
    ) async -> HandlerVerdict? {
        let finding = calls.finding(record)
        if case .certain(let crashes) = finding {
            let cause = DeadLetterCause.crashedHandler(crashes: crashes)
            return await writeDeadLetter(of: record, cause) ? .deadLetter(HandlerReason(code: cause.reason)) : nil
        }
        var attempts = RecordAttempts(maximum: options.maximumAttempts)
        while await untilRunning() {
            let step: RecordAttempts.Step
            var thrown: (any Error)?
            do {
                let verdict = try await call(record, permits, isAlone: finding == .suspect, handle)
                step = attempts.answered(verdict, at: SystemClock.wallMilliseconds())
            } catch is GroupPaused {
                continue
            } catch {
                let isOver = Task.isCancelled || !partition.isActive
                step = attempts.threw(error, at: SystemClock.wallMilliseconds(), isCancelled: isOver)
                thrown = error
            }
            switch step {
            case .finish(let verdict):
                return verdict
            case .deadLetter(let cause):
                return await writeDeadLetter(of: record, cause) ? .deadLetter(HandlerReason(code: cause.reason)) : nil
            case .wait(let duration, let fault):
                telemetry.retry(partition.topicPartition, fault, thrown)
                guard await partition.pause(for: duration ?? backoff(afterFailures: attempts.failures)) else {
                    return nil
                }
            case .stop:
                return nil
            }
        }
        return nil
    }

    /// Calls the handler once. The wait for a permit precedes the call, so it neither counts against the call's
    /// deadline nor makes the record appear to be in progress if the process crashes.
    private func call(
        _ record: KafkaRecord, _ permits: Permits?, isAlone: Bool,
        _ handle: (KafkaRecord) async throws -> HandlerVerdict
    ) async throws -> HandlerVerdict {
        if let permits, await !permits.acquire() { throw CancellationError() }
        defer { permits?.release() }
        let start = MonotonicClock.nanoseconds()
        let verdict = try await calls.call(first: record, last: record, isAlone: isAlone) {
            guard let tracing else { return try await handle(record) }
            return try await tracing.call(record) { try await handle(record) }
        }
        telemetry.handled(since: start)
        return verdict
    }
}
