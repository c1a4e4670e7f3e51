internal import Kafka

/// Handles records that are appended immediately and become durable with a flush.
extension PartitionWorker {
    /// Records appended since the last flush.
    private struct Unflushed {
        /// The time of the first append, in monotonic nanoseconds.
        var since: Int64 = 0
        var first: KafkaRecord?
        var last: KafkaRecord?
        var offsets: [KafkaOffset] = []

        var isEmpty: Bool { offsets.isEmpty }

        mutating func append(_ record: KafkaRecord) {
            if offsets.isEmpty {
                since = MonotonicClock.nanoseconds()
                first = record
            }
            last = record
            offsets.append(record.offset)
        }

        /// Returns the time remaining in the flush interval, or nil if nothing was appended.
        func timeLeft(of interval: Duration) -> Duration? {
            isEmpty ? nil : interval - .nanoseconds(MonotonicClock.nanoseconds() - since)
        }
    }

    /// Appends records until the window is full or the interval has passed, then flushes. Also flushes when the
    /// assignment ends or the group is paused.
    func handleAndFlush(by handler: any FlushingHandler) async {
        var unflushed = Unflushed()
        var pending: ArraySlice<KafkaRecord> = []
        var failures = 0
        while partition.isActive {
            let left = unflushed.timeLeft(of: options.flushInterval)
            let isDue = left ?? .zero <= .zero || pause.isPaused || (pending.isEmpty && window.room == nil)
            if !unflushed.isEmpty, isDue {
                guard await flush(&unflushed, by: handler) else { return }
            } else if !pending.isEmpty, pause.isPaused {
                guard await untilRunning() else { break }
            } else if let record = pending.first {
                let isAlone = calls.finding(record) != .innocent
                // Flush the other records first, so that a crash can be attributed to this record alone.
                if isAlone, !unflushed.isEmpty {
                    guard await flush(&unflushed, by: handler) else { return }
                }
                guard let step = await append(pending, to: &unflushed, by: handler) else { break }
                if isAlone, !unflushed.isEmpty {
                    guard await flush(&unflushed, by: handler, isAlone: true) else { return }
                }
                failures = step.rest.count < pending.count ? 0 : failures
                pending = step.rest
                guard step.mustWait else { continue }
                failures += 1
                turns.end(partition.topicPartition)
                guard await partition.pause(for: step.wait ?? backoff(afterFailures: failures)) else { break }
            } else {
                guard let room = window.room else { continue }
                guard let records = await readBatch(within: room, limit: left) else { break }
                pending = records[...]
            }
        }
        // The partition was revoked or the process is stopping. If the partition is not lost, flush the appended
        // records.
        if !unflushed.isEmpty, !Task.isCancelled { _ = await flush(&unflushed, by: handler) }
    }

    private func append(
        _ records: ArraySlice<KafkaRecord>, to unflushed: inout Unflushed, by handler: any FlushingHandler
    ) async -> BatchStep? {
        var appended: [KafkaRecord] = []
        let step = await dispatch(
            records, to: { try await handler.append($0) },
            finish: { verdicts in
                for (record, verdict) in verdicts {
                    if verdict == .done {
                        appended.append(record)
                    } else {
                        telemetry.finished(record, verdict)
                        await finish(record)
                    }
                }
            })
        for record in appended { unflushed.append(record) }
        return step
    }

    /// Retries the flush until it succeeds, with backoff after each failure.
    ///
    /// - Returns: false if the partition is lost, or if it was revoked and the drain limit has passed.
    private func flush(
        _ unflushed: inout Unflushed, by handler: any FlushingHandler, isAlone: Bool = false
    ) async -> Bool {
        guard let first = unflushed.first, let last = unflushed.last else { return true }
        turns.end(partition.topicPartition)
        var failures = 0
        while !Task.isCancelled {
            do {
                let start = MonotonicClock.nanoseconds()
                try await calls.call(first: first, last: last, isAlone: isAlone) {
                    try await handler.flush(partition.topicPartition)
                }
                telemetry.handled(since: start)
                guard !Task.isCancelled else { return false }
                await finish(unflushed)
                unflushed = Unflushed()
                return true
            } catch {
                if Fault(error, isCancelled: Task.isCancelled) == .cancellation { return false }
                failures += 1
                telemetry.flushFailed(partition.topicPartition, error)
                await waitToFlush(afterFailures: failures)
            }
        }
        return false
    }

    private func finish(_ unflushed: Unflushed) async {
        telemetry.flushed(partition.topicPartition.topic, records: unflushed.offsets.count)
        if let last = unflushed.last, unflushed.offsets.count == 1 { calls.finished(last) }
        var next: KafkaOffset?
        for offset in unflushed.offsets { next = window.finish(offset) ?? next }
        if let next { await store(next) }
    }

    /// Waits before the next attempt, but for at most a second if the partition is being revoked. When the drain limit
    /// passes, the task is cancelled.
    private func waitToFlush(afterFailures failures: Int) async {
        let time = backoff(afterFailures: failures)
        if partition.isActive {
            _ = await partition.pause(for: time)
        } else {
            try? await Task.sleep(for: min(time, .seconds(1)))
        }
    }
}
