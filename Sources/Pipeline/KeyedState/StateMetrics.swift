internal import Kafka
internal import Telemetry

/// Metrics for a keyed state.
struct StateMetrics: Sendable {
    let published: Counter
    let republished: Counter
    let repaired: Counter
    let applied: Counter
    let unreadable: Counter
    let misplaced: Counter
    let oversized: Counter
    let refused: Counter
    let large: Counter
    let incomplete: Counter
    let recreated: Counter
    let restores: Histogram

    init(_ registry: MetricsRegistry) {
        published = registry.counter(
            StateMetricName.published, help: "Rows published to the state's topics and acknowledged.")
        republished = registry.counter(
            StateMetricName.republished,
            help: "Rows republished because they were due, their last record was outdated, or the rules changed.")
        repaired = registry.counter(
            StateMetricName.repaired,
            help: "Outdated or unreadable records in owned partitions; their rows are republished.")
        applied = registry.counter(
            StateMetricName.applied, help: "Rows changed by records that other members have published.")
        unreadable = registry.counter(
            StateMetricName.unreadable, help: "Unreadable records in the state's topics.")
        misplaced = registry.counter(
            StateMetricName.misplaced,
            help: "State topic records skipped because they are not in their key's partition.")
        oversized = registry.counter(
            StateMetricName.oversized, help: "Publications refused because the row is too large.")
        refused = registry.counter(
            StateMetricName.refused,
            help: "Publications that the brokers refused for a reason other than size, such as a timestamp.")
        large = registry.counter(
            StateMetricName.large, help: "Published values that exceed the recommended size (8 KiB).")
        incomplete = registry.counter(
            StateMetricName.incomplete,
            help: "State topic partitions in which records were deleted before they were read.")
        recreated = registry.counter(
            StateMetricName.recreated,
            help: "State topic partitions that were recreated; local state is republished.")
        restores = registry.histogram(
            StateMetricName.restoreDuration, help: "Time from a partition's assignment to its first record.")
    }

    func sample(
        _ samples: inout MetricSamples, isComplete: Bool, lags: [KafkaTopicPartition: Int64], unread: Int64,
        oversized: Int, refused: Int
    ) {
        samples.gauge(
            StateMetricName.complete,
            help: "1 if everything published before startup has been read, the state keeps up with its topics, and its "
                + "database can be written; otherwise 0.",
            isComplete ? 1 : 0)
        samples.gauge(
            StateMetricName.oversizedRows, help: "Rows whose current value is too large to publish.", Double(oversized))
        samples.gauge(
            StateMetricName.refusedRows,
            help: "Rows whose current value the brokers refuse for a reason other than size.", Double(refused))
        samples.gauge(
            StateMetricName.unreadRecords,
            help: "Offsets remaining in a restore; 0 when everything published before startup has been read.",
            Double(unread))
        for (place, lag) in lags {
            samples.gauge(
                StateMetricName.lagRecords, help: "Records in a state topic partition that have not been applied.",
                labels: [
                    MetricLabel("topic", place.topic.rawValue),
                    MetricLabel("partition", "\(place.partition.rawValue)"),
                ], Double(lag))
        }
    }

    func sample(_ samples: inout MetricSamples, _ health: StateHealth, at now: Int64) {
        samples.gauge(
            StateMetricName.writable, help: "0 after a write to the database has failed, until one succeeds.",
            health.unwritten.isEmpty ? 1 : 0)
        samples.gauge(
            StateMetricName.stalledSeconds,
            help: "Longest time that a partition behind its topic has gone without applying a record.",
            Double(health.stalled(at: now)) / 1_000)
        guard let brokersUp = health.brokersUp else { return }
        samples.gauge(
            StateMetricName.brokersUp, help: "Brokers that the reader of the state's topics is connected to.",
            // Statistics from a stuck client are out of date.
            health.isLive(at: now) ? Double(brokersUp) : 0)
    }
}
