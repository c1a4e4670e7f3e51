internal import ArchiveKeys
internal import ArchiveLog
internal import Kafka
internal import ObjectStorage
internal import PipelineRuntime
internal import Primitives
internal import Telemetry

/// Appends each record to the log of its partition. A flush signs a checkpoint; offsets are committed only afterwards.
struct ArchiveHandler: FlushingHandler {
    let logs: OpenLogs
    let opener: LogOpener
    let sealer: RecordSealer
    let missed: MissedRecords
    let refused: RefusedLogs
    let topics: ArchivedTopics
    let clocks: Clocks
    let metrics: ArchiveMetrics
    let findings: ArchiveFindings
    let logger: Logger
    /// A rate-limited logger for failures that recur with each retry.
    let repeated: RateLimitedLogger

    func append(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        guard let partition = records.first?.topicPartition else { return [] }
        var log = try logs.take(partition)
        defer { logs.put(log, for: partition) }
        do {
            return try await add(records, to: &log)
        } catch let error as ArchiveError where error.code == .tooLong {
            // Only this error is caused by the record itself.
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            if (error as? ArchiveError)?.isKeyFailure == true { metrics.failedKeyStore() }
            repeated.log(
                .error, key: "\(partition)", "failed to archive records; retrying",
                [LogField(.log, "\(partition)"), LogField(.error, "\(error)")])
            throw ArchiveFault(error)
        }
    }

    /// Appends the records that are not in the log yet.
    private func add(_ records: [KafkaRecord], to log: inout OpenLog) async throws -> [HandlerVerdict] {
        let next = log.next ?? .beginning
        let fresh = Array(records.drop { $0.offset < next })
        if fresh.count < records.count, let again = records.first { try await compare(again, &log) }
        // Nothing is appended until all records have been encrypted, so a failure leaves the log unchanged.
        let lastArchivedAt = log.writer.lastLeaf?.archivedAtMilliseconds ?? 0
        for entry in try await entries(of: fresh, from: log.next, after: lastArchivedAt) {
            try log.writer.append(entry)
            if entry.leaf.isErasedOnArrival { log.erased += 1 }
        }
        let reason = HandlerReason(code: ArchiveReason.alreadyArchived)
        return Array(repeating: .skip(reason), count: records.count - fresh.count)
            + Array(repeating: .done, count: fresh.count)
    }

    /// Returns an entry for each encrypted record and, unless the topic is compacted, for each gap before a record.
    ///
    /// - Parameters:
    ///   - expected: the log's next offset, or nil for a log without leaves.
    ///   - lastArchivedAt: the time when the preceding leaf was archived.
    private func entries(
        of records: [KafkaRecord], from expected: KafkaOffset?, after lastArchivedAt: Int64
    ) async throws -> [ArchiveEntry] {
        var entries: [ArchiveEntry] = []
        var expected = expected
        // Times never decrease from one leaf to the next, even if the clock was set back; otherwise, an auditor would
        // suspect tampering.
        let now = max(clocks.wallMilliseconds(), lastArchivedAt)
        let sealed = try await sealer.seal(records, at: now)
        for entry in sealed {
            let position = entry.leaf.position
            if let expected, position.offset > expected, !topics.isCompacted(position.topic) {
                entries.append(try await gap(expected..<position.offset, in: position.topicPartition, at: now))
            }
            entries.append(entry)
            expected = KafkaOffset(rawValue: position.offset.rawValue + 1)
        }
        return entries
    }

    /// Compares a record with the archived one, once per opened log. A topic that was deleted and recreated has
    /// different records at the same offsets, and skipping them would lose them.
    private func compare(_ record: KafkaRecord, _ log: inout OpenLog) async throws {
        guard !log.isCompared else { return }
        try await opener.compare(record, log.writer)
        log.isCompared = true
    }

    /// Returns an entry that documents missing offsets, so that an auditor does not suspect that records were removed.
    ///
    /// Not inlined, because the Swift 6.3.1 optimizer crashes on the caller otherwise ("While splitting coroutine").
    @inline(never) private func gap(
        _ offsets: Range<KafkaOffset>, in partition: KafkaTopicPartition, at now: Int64
    ) async throws -> ArchiveEntry {
        let reason = try await missed.reason(ofMissing: offsets, in: partition)
        if reason == .deleted {
            let count = offsets.upperBound.rawValue - offsets.lowerBound.rawValue
            metrics.missing(partition.topic, offsets: count)
            findings.missing(partition, offsets)
            logger.error(
                "Kafka deleted records before they were archived",
                [
                    LogField(.log, "\(partition)"), LogField(.firstMissing, offsets.lowerBound.rawValue),
                    LogField(.lastMissing, offsets.upperBound.rawValue - 1),
                ])
        }
        if reason == .deadLettered {
            logger.error(
                "records were dead-lettered and are not archived",
                [
                    LogField(.log, "\(partition)"), LogField(.firstMissing, offsets.lowerBound.rawValue),
                    LogField(.lastMissing, offsets.upperBound.rawValue - 1),
                ])
        }
        return try sealer.gap(offsets, reason, in: partition, at: now)
    }

    func flush(_ partition: KafkaTopicPartition) async throws {
        var log = try logs.take(partition)
        defer { logs.put(log, for: partition) }
        try await commit(&log, partition)
    }

    private func commit(_ log: inout OpenLog, _ partition: KafkaTopicPartition) async throws {
        let start = clocks.monotonicNanoseconds()
        let (before, bytes) = (log.writer.committedSize, log.writer.uncommittedBytes)
        let now = clocks.wallMilliseconds()
        let seconds = Int(now / 1000)
        do throws(ArchiveError) {
            try await log.writer.commit(at: seconds)
        } catch {
            metrics.failed(error.code)
            findings.failed(partition, error)
            throw error
        }
        findings.written(partition)
        metrics.flushed(
            partition.topic, leaves: log.writer.committedSize - before, bytes: bytes, at: seconds,
            nanoseconds: clocks.monotonicNanoseconds() &- start)
        let archivedAt = log.writer.lastLeaf?.archivedAtMilliseconds ?? now
        metrics.timeAhead(
            partition.topic, milliseconds: max(0, archivedAt.subtractingReportingOverflow(now).partialValue))
        metrics.erased(partition.topic, records: log.erased)
        log.erased = 0
    }

    func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws {
        logs.assign(partition)
        do {
            var log = try await opener.open(partition) {
                try await missed.range(of: partition, archived: nil, start: start).map {
                    "the group has read \(partition) up to offset \($0.upperBound)"
                }
            }
            do {
                try await catchUp(&log, partition, to: start)
            } catch {
                log.lock.release()
                throw error
            }
            logs.put(log, for: partition)
        } catch let error as ArchiveError {
            metrics.failed(error.code)
            findings.failed(partition, error)
            if error.needsOperator { refused.report(error) }
            throw error
        }
    }

    /// Archives records that the group has already read but that are missing from the archive, because the archive is
    /// new or was restored.
    private func catchUp(
        _ log: inout OpenLog, _ partition: KafkaTopicPartition, to start: KafkaOffset
    ) async throws {
        guard let range = try await missed.range(of: partition, archived: log.next, start: start) else { return }
        var caught = log
        try await missed.read(partition, range) { records in
            _ = try await add(records, to: &caught)
            try await commit(&caught, partition)
        }
        log = caught
    }

    func partitionReleased(_ partition: KafkaTopicPartition) async { logs.close(partition) }
}

/// A failure of one of the archive's dependencies. The record is retried and never dead-lettered for this reason.
struct ArchiveFault: InfrastructureFault, CustomStringConvertible {
    let description: String

    init(_ cause: any Error) { description = "\(cause)" }
}
