internal import Telemetry

/// What a keyed state counts; the names are a contract.
struct StateMetrics: Sendable {
    let published: Counter
    let republished: Counter
    let repaired: Counter
    let followed: Counter
    let unreadable: Counter
    let incomplete: Counter
    let restores: Histogram

    init(_ registry: MetricsRegistry) {
        published = registry.counter(
            "sluice_state_published_total", help: "Rows published to the state's topics and acknowledged.")
        republished = registry.counter(
            "sluice_state_republished_total",
            help: "Rows published because time changed them, or because the topic did not have them as they are.")
        repaired = registry.counter(
            "sluice_state_repaired_total",
            help: "Publications found in the topic that said less than was known by the owner of the partition.")
        followed = registry.counter(
            "sluice_state_followed_total", help: "Rows changed by what others have published.")
        unreadable = registry.counter(
            "sluice_state_unreadable_total", help: "Records of the state's topics that nobody can read, passed over.")
        incomplete = registry.counter(
            "sluice_state_incomplete_total",
            help: "Partitions of the state's topics of which records were gone before they were read.")
        restores = registry.histogram(
            "sluice_state_restore_seconds", help: "Time from a partition's assignment to its first record.")
    }

    func sample(_ samples: inout MetricSamples, isComplete: Bool) {
        samples.gauge(
            "sluice_state_complete", help: "1 when everything published before the start has been read.",
            isComplete ? 1 : 0)
    }
}
