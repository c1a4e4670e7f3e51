internal import ArchiveLog
internal import Kafka
internal import Telemetry

/// The service's metrics, in addition to the runtime's.
struct ArchiveMetrics: Sendable {
    private struct OfTopic: Sendable {
        let leaves: Counter
        let bytes: Counter
        let erased: Counter
        let missing: Counter
        let pruned: Counter
        let lastCheckpoint: Gauge
        let timeAhead: Gauge
    }

    private let topics: [KafkaTopic: OfTopic]
    private let failures: [ArchiveError.Code: Counter]
    private let duration: Histogram
    private let keepsCheckpointLog: Gauge

    init(_ registry: MetricsRegistry, topics: [KafkaTopic]) {
        self.topics = Dictionary(
            uniqueKeysWithValues: topics.map { topic in
                let labels = [MetricLabel("topic", topic.rawValue)]
                return (
                    topic,
                    OfTopic(
                        leaves: registry.counter(
                            ArchiveMetricName.leaves, help: "Archived records that a signed checkpoint covers.",
                            labels: labels),
                        bytes: registry.counter(
                            ArchiveMetricName.bytes, help: "Bytes of the archived objects, as stored.", labels: labels),
                        erased: registry.counter(
                            ArchiveMetricName.erased,
                            help: "Records archived without their payload, because their subject was erased.",
                            labels: labels),
                        missing: registry.counter(
                            ArchiveMetricName.missing,
                            help: "Offsets that Kafka deleted before they were archived.", labels: labels),
                        pruned: registry.counter(
                            ArchiveMetricName.pruned, help: "Archive segments deleted because of archive.retention.",
                            labels: labels),
                        lastCheckpoint: registry.gauge(
                            ArchiveMetricName.lastCheckpoint,
                            help: "Time of the topic's last signed checkpoint, in seconds since 1970.",
                            labels: labels),
                        timeAhead: registry.gauge(
                            ArchiveMetricName.timeAhead,
                            help: "Seconds by which the newest leaf is ahead of the host's clock.",
                            labels: labels))
                )
            })
        var failures: [ArchiveError.Code: Counter] = [:]
        for code in ArchiveError.Code.writing {
            failures[code] = registry.counter(
                ArchiveMetricName.failures, help: "Failed attempts to open or write an archive log, by reason.",
                labels: [MetricLabel("reason", code.rawValue)])
        }
        self.failures = failures
        duration = registry.histogram(
            ArchiveMetricName.flushDuration,
            help: "Duration of a commit, from its first written byte to its signed checkpoint.")
        keepsCheckpointLog = registry.gauge(
            ArchiveMetricName.keepsCheckpointLog,
            help: "1 if this member extended the checkpoint log in the last interval, otherwise 0.")
    }

    func flushed(_ topic: KafkaTopic, leaves: Int, bytes: Int, at seconds: Int, nanoseconds: UInt64) {
        topics[topic]?.leaves.increment(by: UInt64(clamping: leaves))
        topics[topic]?.bytes.increment(by: UInt64(clamping: bytes))
        topics[topic]?.lastCheckpoint.set(Double(seconds))
        duration.observe(nanoseconds: Int64(clamping: nanoseconds))
    }

    /// Reports the time, in milliseconds, by which a log is ahead of this host's clock, or 0 if it is not ahead.
    func timeAhead(_ topic: KafkaTopic, milliseconds: Int64) {
        topics[topic]?.timeAhead.set(Double(milliseconds) / 1_000)
    }
    func erased(_ topic: KafkaTopic, records: Int) { topics[topic]?.erased.increment(by: UInt64(clamping: records)) }
    func missing(_ topic: KafkaTopic, offsets: Int64) {
        topics[topic]?.missing.increment(by: UInt64(clamping: offsets))
    }
    func pruned(_ topic: KafkaTopic, segments: Int) {
        topics[topic]?.pruned.increment(by: UInt64(clamping: segments))
    }
    func keepsCheckpointLog(_ keeps: Bool) { keepsCheckpointLog.set(keeps ? 1 : 0) }
    /// Counts a failure to get data keys from the key store.
    func failedKeyStore() { failed(.keyStore) }
    /// Counts a failure to open or write a log. Failures with other codes are not counted.
    func failed(_ code: ArchiveError.Code) { failures[code]?.increment() }
}
