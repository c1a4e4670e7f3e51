internal import Telemetry

/// Counts the records in the keys topic.
struct KeyTopicMetrics: Sendable {
    let applied: Counter
    /// Records that are damaged or belong to a different installation.
    let refused: Counter
    let published: Counter

    init(_ registry: MetricsRegistry) {
        let counter = { (outcome: String) in
            registry.counter(
                ArchiveMetricName.keyRecords,
                help: "Records in the keys topic that this host applied, refused or published.",
                labels: [MetricLabel("outcome", outcome)])
        }
        (applied, refused, published) = (counter("applied"), counter("refused"), counter("published"))
    }
}
