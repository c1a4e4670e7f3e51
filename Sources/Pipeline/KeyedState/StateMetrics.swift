internal import Kafka
internal import Telemetry

/// Metrics of a keyed state.
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
            help: "Rows published again: time or the rules changed their value, or the topic said less.")
        repaired = registry.counter(
            StateMetricName.repaired,
            help: "Records of owned partitions that said less than was known, or could not be read on a known key.")
        applied = registry.counter(
            StateMetricName.applied, help: "Rows changed by records that other members have published.")
        unreadable = registry.counter(
            StateMetricName.unreadable, help: "Records of the state's topics that cannot be read.")
        misplaced = registry.counter(
            StateMetricName.misplaced,
            help: "Records of the state's topics in another partition than that of their key, skipped.")
        oversized = registry.counter(
            StateMetricName.oversized, help: "Publications refused because the row is too large.")
        refused = registry.counter(
            StateMetricName.refused,
            help: "Publications that the brokers refused for something else than their size, such as a timestamp.")
        large = registry.counter(
            StateMetricName.large, help: "Values published that are larger than a value should be (8 KiB).")
        incomplete = registry.counter(
            StateMetricName.incomplete,
            help: "Partitions of the state's topics of which records were gone before they were read.")
        recreated = registry.counter(
            StateMetricName.recreated,
            help: "Partitions of the state's topics that were created again; what is known is published again.")
        restores = registry.histogram(
            StateMetricName.restoreDuration, help: "Time from a partition's assignment to its first record.")
    }

    func sample(
        _ samples: inout MetricSamples, isComplete: Bool, lags: [KafkaTopicPartition: Int64], unread: Int64,
        oversized: Int, refused: Int
    ) {
        samples.gauge(
            StateMetricName.complete,
            help: "1 when everything published before the start was read and the lag is within its bound.",
            isComplete ? 1 : 0)
        samples.gauge(
            StateMetricName.oversizedRows, help: "Rows whose present value is too large to publish.", Double(oversized))
        samples.gauge(
            StateMetricName.refusedRows,
            help: "Rows whose present value the brokers refuse for something else than its size.", Double(refused))
        samples.gauge(
            StateMetricName.unreadRecords,
            help: "Offsets that are left of a restore; 0 when everything published before the start was read.",
            Double(unread))
        for (place, lag) in lags {
            samples.gauge(
                StateMetricName.lagRecords, help: "Records of a state's partition that are not applied yet.",
                labels: [
                    MetricLabel("topic", place.topic.rawValue),
                    MetricLabel("partition", "\(place.partition.rawValue)"),
                ], Double(lag))
        }
    }

    func sample(_ samples: inout MetricSamples, _ health: StateHealth, at now: Int64) {
        samples.gauge(
            StateMetricName.writable, help: "0 while a write to the database has failed and none has succeeded since.",
            health.unwritten.isEmpty ? 1 : 0)
        samples.gauge(
            StateMetricName.stalledSeconds,
            help: "Time since which nothing was applied of a partition of the state that is behind its topic.",
            Double(health.stalled(at: now)) / 1_000)
        guard let brokersUp = health.brokersUp else { return }
        samples.gauge(
            StateMetricName.brokersUp, help: "Brokers that the reader of the state's topics is connected to.",
            // Statistics of a stuck client are out of date.
            health.isLive(at: now) ? Double(brokersUp) : 0)
    }
}
