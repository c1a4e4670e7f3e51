internal import Kafka
internal import PipelineRuntime
internal import Primitives
internal import Telemetry

/// Reads followed partitions and writes their rows. Rows in the database change in no other way.
extension KeyedState {
    /// Reads a partition until it is no longer followed.
    func read(_ place: KafkaTopicPartition, _ parts: Parts) async {
        guard let partition = parts.partitions[place], let start = await start(place, parts) else { return }
        var assigned = await assign(place, from: start, parts)
        while let current = assigned {
            progress.restart(at: current.startOffset.rawValue, of: place)
            reached(current.startOffset.rawValue, in: place)
            partition.restart()
            await read(current, partition, parts)
            // If the embedded broker has reset a log, the consumer replaces the assignment, and reading continues with
            // the new one.
            assigned = await parts.changelog.consumer.assignedPartitions.first {
                $0.topicPartition == place && $0.epoch != current.epoch && $0.isActive
            }
        }
    }

    /// Starts reading a partition, retrying while librdkafka refuses to. Returns nil if the task is cancelled or the
    /// service stops.
    private func assign(_ place: KafkaTopicPartition, from start: Int64, _ parts: Parts) async
        -> KafkaAssignedPartition?
    {
        while !Task.isCancelled, !withRunning({ $0.isStopping }) {
            do {
                return try await parts.changelog.consumer.read([place: KafkaOffset(rawValue: start)]).first
            } catch {
                frequent.log(
                    .warning, key: "assign", "state partition is not readable yet; retrying",
                    place.logFields + [LogField(.error, error.message)])
            }
            guard (try? await Task.sleep(for: .milliseconds(500))) != nil else { return nil }
        }
        return nil
    }

    private func read(_ assigned: KafkaAssignedPartition, _ partition: Partition, _ parts: Parts) async {
        while let records = await assigned.nextPacked(maxRecords: 1_000, maxBytes: 4 << 20) {
            guard let last = records.last else {
                // The reader reached the end of the partition. Use its position, because the last records may have been
                // compacted away.
                reached(assigned.position.rawValue, in: partition.name)
                continue
            }
            let next = last.offset.rawValue + 1
            guard await apply(records, last, of: partition, assigned, parts) else { return }
            reached(next, in: partition.name)
            // If no task is waiting for a publication, wait so that more records share a transaction.
            if records.count < 200, !progress.isAwaited(partition.name) {
                guard await assigned.pause(for: .milliseconds(25)) else { return }
            }
        }
    }

    /// Returns the offset at which reading begins, retrying until the partition has a leader. Returns nil if the task
    /// is cancelled or the service stops.
    private func start(_ place: KafkaTopicPartition, _ parts: Parts) async -> Int64? {
        while !Task.isCancelled, !withRunning({ $0.isStopping }) {
            do {
                let ends = try await parts.changelog.queries.watermarks(of: place, within: .seconds(5))
                let isOther = try await isRecreated(place, ends, parts)
                let start = try startOffset(of: place, ends, isRecreated: isOther, parts)
                withRunning { running in
                    guard running.followed[place] != nil else { return }
                    running.ends[place] = ends.high.rawValue
                    running.unread[place] = .some(ends.high.rawValue)
                }
                return start
            } catch {
                (error as? StateError).map(fail)
                frequent.log(
                    .warning, key: "start", "state partition is not readable yet; retrying",
                    place.logFields + [LogField(.error, "\(error)")])
            }
            guard (try? await Task.sleep(for: .milliseconds(500))) != nil else { return nil }
        }
        return nil
    }

    private func startOffset(
        of place: KafkaTopicPartition, _ ends: KafkaWatermarks, isRecreated: Bool, _ parts: Parts
    ) throws(StateError) -> Int64 {
        let low = ends.low.rawValue
        guard let known = try parts.database.store.position(of: place) else {
            if low > 0 { notComplete(place, "the oldest records of the partition were deleted") }
            return low
        }
        if isRecreated {
            metrics.recreated.increment()
            logger.warning("state topic was recreated; republishing local state", place.logFields)
            try parts.database.store.restart(place)
            return low
        }
        let missed = clocks.wallMilliseconds() - known.seen
        // If the clock was ahead when the file was written, the age of the file is unknown.
        let isFromFuture = missed < -Self.clockDifference
        if isFromFuture || missed > parts.changelog.retention[place.topic] ?? 0, known.next < ends.high.rawValue {
            logger.warning(
                isFromFuture
                    ? "state partition was last read at a time in the future; rereading all of it"
                    : "state partition was last read too long ago; rereading all of it",
                place.logFields + [LogField(.ageSeconds, missed / 1_000)])
            try parts.database.store.forget(place)
            if low > 0 { notComplete(place, "the oldest records of the partition were deleted") }
            return low
        }
        if known.next < low {
            notComplete(place, "records were deleted before they were read")
            return low
        }
        return known.next
    }

    func notComplete(_ partition: KafkaTopicPartition, _ reason: String) {
        metrics.incomplete.increment()
        logger.warning("state is incomplete", partition.logFields + [LogField(.finding, reason)])
    }

    // MARK: Records

    /// Applies records and writes their changes, retrying a failed write until it succeeds.
    ///
    /// - Returns: false if the partition is no longer being read.
    private func apply(
        _ records: PackedRecords, _ last: KafkaRecord, of partition: Partition, _ assigned: KafkaAssignedPartition,
        _ parts: Parts
    ) async -> Bool {
        let place = partition.name
        var applied: Partition.Applied?
        var failures = 0
        while true {
            do {
                // After a failed transaction, the rows in memory have already changed, so only the write is retried.
                let known = applied
                let changes = try await computing.with { try known ?? partition.apply(records) }
                applied = changes
                let ids = try await parts.database.writer.apply(
                    StateWrite(
                        changes, of: partition, next: last.offset.rawValue + 1, now: clocks.wallMilliseconds(),
                        last: RecordPrint(last)))
                withRunning { $0.health.wrote(place, failed: false) }
                partition.committed(ids)
                count(changes, in: partition)
                tellProgress()
                return true
            } catch {
                let error = StateError(error)
                withRunning { $0.health.wrote(place, failed: true) }
                if error.code == .newer { partition.block() }
                fail(error)
                frequent.log(
                    .error, key: "apply", "failed to write the state; retrying",
                    partition.name.logFields + [LogField(.error, error.message)])
            }
            failures += 1
            guard await assigned.pause(for: .milliseconds(min(10_000, 100 << min(failures, 7)))) else { return false }
        }
    }

    /// Logs how much of a restore remains, at most once per interval.
    private func tellProgress() {
        let now = clocks.monotonicMilliseconds()
        let interval = options.progressInterval.clampedMilliseconds
        let told = withRunning { running -> (time: Int64, left: Int64)? in
            guard !running.unread.isEmpty else { return nil }
            return running.restore.applied(at: now, interval: interval).map { ($0, unreadRecords(running)) }
        }
        guard let told else { return }
        logger.info(
            "state is being restored", [LogField(.milliseconds, told.time), LogField(.remaining, told.left)])
    }

    private func count(_ applied: Partition.Applied, in partition: Partition) {
        metrics.applied.increment(by: UInt64(clamping: applied.changed))
        metrics.unreadable.increment(by: UInt64(clamping: applied.unreadable))
        // The owner republishes incomplete and outdated rows on its next tick, so they are counted as repaired.
        if partition.isOwned { metrics.repaired.increment(by: UInt64(clamping: applied.behind)) }
        guard applied.misplaced > 0 else { return }
        metrics.misplaced.increment(by: UInt64(clamping: applied.misplaced))
        frequent.log(
            .error, key: "misplaced", "skipped state records that are not in their key's partition",
            partition.name.logFields)
    }

    private func reached(_ next: Int64, in place: KafkaTopicPartition) {
        progress.reached(next, in: place)
        let now = clocks.monotonicMilliseconds()
        let restored = withRunning { running -> Parts? in
            running.health.advanced(place, isBehind: running.ends[place].map { next < $0 } ?? false, at: now)
            guard let end = running.unread[place], let end, next >= end else { return nil }
            running.unread[place] = nil
            return running.unread.isEmpty ? running.parts : nil
        }
        restored.map(endRestore)
    }

    /// Records the end of a partition as reported by a broker.
    func sawEnd(_ end: Int64, of place: KafkaTopicPartition) {
        let now = clocks.monotonicMilliseconds()
        withRunning { running in
            guard running.followed[place] != nil else { return }
            running.ends[place] = end
            running.health.sawEnd(of: place, isBehind: (progress.next(of: place) ?? 0) < end, at: now)
        }
    }
}
