internal import Telemetry

/// Metrics for one anchor.
struct AnchorMetrics: Sendable {
    private let behind: Gauge
    private let anchored: Counter
    private let failures: [ArchiveServiceError.Code: Counter]

    init(_ registry: MetricsRegistry, anchor name: String) {
        let label = MetricLabel("anchor", name)
        behind = registry.gauge(
            ArchiveMetricName.unanchored,
            help: "How long the oldest due checkpoint has been waiting to be anchored, in seconds.",
            labels: [label])
        anchored = registry.counter(
            ArchiveMetricName.anchored, help: "Checkpoints that the anchor has accepted.", labels: [label])
        var failures: [ArchiveServiceError.Code: Counter] = [:]
        for code in ArchiveServiceError.Code.anchoring {
            failures[code] = registry.counter(
                ArchiveMetricName.anchorFailures, help: "Failed attempts to anchor a checkpoint, by reason.",
                labels: [label, MetricLabel("reason", code.rawValue)])
        }
        self.failures = failures
    }

    func isBehind(nanoseconds: UInt64) { behind.set(Double(nanoseconds) / 1_000_000_000) }
    func succeeded() { anchored.increment() }
    func failed(_ code: ArchiveServiceError.Code) { failures[code]?.increment() }
}
