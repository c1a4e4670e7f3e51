internal import Kafka
internal import Primitives
internal import Synchronization
internal import Telemetry

/// Counts and logs group and client events, and reports window state and client statistics as gauges.
final class GroupTelemetry: Sendable {
    /// The time in nanoseconds after which an unfinished record is reported. librdkafka itself does not detect such
    /// records.
    private static let longestUnfinished: Int64 = 60_000_000_000

    private let logger: Logger
    private let frequent: RateLimitedLogger
    private let assigned: Counter
    private let revoked: Counter
    private let lost: Counter
    private let commitFailures: Counter
    private let offsetResets: Counter
    private let clientErrors: Counter
    /// How long a record may wait for its flush, in nanoseconds.
    private let flushInterval: Int64
    private let reported = Mutex<[KafkaTopicPartition: Int64]>([:])

    /// - Parameter flushInterval: how long a record may wait for its flush; zero if the handler does not flush.
    init(logger: Logger, registry: MetricsRegistry, flushInterval: Duration) {
        self.logger = logger
        self.flushInterval = min(flushInterval.clampedNanoseconds, .max / 2)
        frequent = RateLimitedLogger(logger, perSecond: 1)
        func rebalances(_ kind: String) -> Counter {
            registry.counter(
                PipelineMetricName.rebalances, help: "Changes to this member's assignment, by kind.",
                labels: [MetricLabel(PipelineMetricLabel.kind, kind)])
        }
        assigned = rebalances("assigned")
        revoked = rebalances("revoked")
        lost = rebalances("lost")
        commitFailures = registry.counter(PipelineMetricName.commitFailures, help: "Rejected offset commits.")
        offsetResets = registry.counter(
            PipelineMetricName.offsetResets, help: "Resets of the consumer position on the embedded broker.")
        clientErrors = registry.counter(PipelineMetricName.errors, help: "Errors reported by the Kafka client.")
    }

    func receive(_ event: KafkaConsumerEvent) {
        switch event {
        case .assigned(let partitions):
            guard !partitions.isEmpty else { return logger.info("group joined; no partition assigned") }
            assigned.increment()
            logger.info("partitions assigned", [partitions.logField])
        case .revoking(let partitions):
            revoked.increment()
            logger.info("partitions revoked", [partitions.logField])
        case .lost(let partitions):
            lost.increment()
            logger.warning("partitions lost; cancelling their work", [partitions.logField])
        case .drainLimitExceeded(let partitions):
            logger.warning(
                "records did not finish within the drain limit; releasing their partitions", [partitions.logField])
        case .offsetOutOfRange(let partition, let offset):
            logger.error("offset out of range", partition.logFields + [LogField(.offset, offset.rawValue)])
        case .damaged(let partition, let offset, let error):
            logger.error(
                "topic partition is damaged; reading stopped",
                partition.logFields + [
                    LogField(.offset, offset.rawValue), LogField(.code, error.name), error.logField,
                ])
        case .offsetReset(let partition, let expected, let found):
            offsetResets.increment()
            logger.error(
                "embedded broker dropped records; consumer position was reset",
                partition.logFields + [
                    LogField(.expectedOffset, expected.rawValue), LogField(.offset, found.rawValue),
                ])
        case .commitFailed(let error):
            commitFailures.increment()
            frequent.log(.warning, key: "commit", "commit refused", [LogField(.code, error.name), error.logField])
        case .error(let error):
            clientErrors.increment()
            frequent.log(
                .warning, key: error.name, "kafka client error", [LogField(.code, error.name), error.logField])
        case .fatal(let error):
            logger.error("kafka client failed permanently", [LogField(.code, error.name), error.logField])
        case .log(let line):
            log(line)
        case .statistics:
            break
        }
    }

    private func log(_ line: KafkaLogLine) {
        let level: Logger.Level = line.level <= 4 ? .warning : line.level <= 6 ? .info : .debug
        frequent.log(
            level, key: line.facility, "kafka client",
            [LogField(.facility, line.facility), LogField(.clientMessage, line.message)])
    }

    /// Returns the time in nanoseconds since the oldest unfinished record could have been finished. Returns 0 if there
    /// is none, or while records wait intentionally: for their flush, or because the group is paused.
    private func overdueTime(_ load: PartitionWindow.Load, _ pause: GroupPause, at now: Int64) -> Int64 {
        guard let since = load.oldestAdmittedAt, !pause.isPaused else { return 0 }
        return max(0, now - (max(since, pause.resumedAt) + flushInterval))
    }

    /// Logs a warning once for a record that has been unfinished for too long.
    func watch(
        _ partition: KafkaTopicPartition, _ load: PartitionWindow.Load, _ pause: GroupPause, at now: Int64
    ) {
        let age = overdueTime(load, pause, at: now)
        guard let offset = load.oldestOffset, age > Self.longestUnfinished else {
            return reported.withLock { $0[partition] = nil }
        }
        let isNew = reported.withLock { reported in
            defer { reported[partition] = offset }
            return reported[partition] != offset
        }
        guard isNew else { return }
        logger.warning(
            "record unfinished for a minute",
            partition.logFields + [
                LogField(.offset, offset), LogField(.ageSeconds, age / 1_000_000_000),
            ])
    }

    /// - Parameters:
    ///   - assigned: the number of partitions that are assigned and not being revoked.
    ///   - loads: the load of each partition, including those whose work has not ended since they were revoked.
    ///   - starts: the offset at which the assignment of each partition started.
    func sample(
        _ samples: inout MetricSamples, assigned: Int, loads: [KafkaTopicPartition: PartitionWindow.Load],
        starts: [KafkaTopicPartition: KafkaOffset],
        statistics: [KafkaTopicPartition: KafkaStatistics.Partition], brokersUp: Int, pause: GroupPause
    ) {
        samples.gauge(
            PipelineMetricName.paused, help: "1 while the consumer group is paused by an operator, otherwise 0.",
            labels: [MetricLabel(PipelineMetricLabel.group, pause.group.rawValue)], pause.isPaused ? 1 : 0)
        samples.gauge(
            PipelineMetricName.assignedPartitions, help: "Partitions assigned to this member.", Double(assigned))
        samples.gauge(PipelineMetricName.brokersUp, help: "Brokers with a working connection.", Double(brokersUp))
        let now = MonotonicClock.nanoseconds()
        let wall = SystemClock.wallMilliseconds()
        for (partition, load) in loads {
            let labels = [
                MetricLabel(PipelineMetricLabel.topic, partition.topic.rawValue),
                MetricLabel(PipelineMetricLabel.partition, String(partition.partition.rawValue)),
            ]
            samples.gauge(
                PipelineMetricName.unfinishedRecords, help: "Records read but not finished.", labels: labels,
                Double(load.records))
            samples.gauge(
                PipelineMetricName.oldestUnfinishedSeconds,
                help: """
                    Time since the oldest unfinished record was read or the group was resumed, less the flush \
                    interval; 0 while paused.
                    """,
                labels: labels, Double(overdueTime(load, pause, at: now)) / 1e9)
            // Until the first record of an assignment has been handled, librdkafka reports only the end of the log and
            // no lag. In the meantime, the lag is computed from the start of the assignment.
            let begun = starts[partition].flatMap { start in
                statistics[partition]?.highOffset.map { max(0, $0 - max(0, start.rawValue)) }
            }
            guard let lag = statistics[partition]?.consumerLagStored ?? begun else { continue }
            samples.gauge(
                PipelineMetricName.lagRecords, help: "Records in the partition after the last finished one.",
                labels: labels, Double(lag))
            // Between two reads, there may be no unfinished record. In that case, use the timestamp of the last record,
            // because the next one is about as old.
            let oldest = load.oldestTimestampMilliseconds ?? load.newestTimestampMilliseconds
            let behind = lag == 0 ? 0 : wall - (oldest ?? wall)
            samples.gauge(
                PipelineMetricName.lagSeconds, help: "Age of the oldest unfinished record by its own timestamp.",
                labels: labels, Double(max(0, behind)) / 1000)
        }
    }
}

extension KafkaError {
    fileprivate var logField: LogField { LogField(.error, message) }
}

extension [KafkaAssignedPartition] {
    fileprivate var logField: LogField { LogField(.partitions, .texts(map(\.topicPartition.description).sorted())) }
}
