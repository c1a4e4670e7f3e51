internal import Telemetry

/// What the service counts beside the runtime's own metrics.
struct EntitlementsMetrics: Sendable {
    private let changed: Counter
    private let late: Counter
    private let disagreements: Counter
    private let reads: Counter
    private let readFailures: Counter
    private let readDuration: Histogram

    init(_ registry: MetricsRegistry) {
        changed = registry.counter(
            EntitlementsMetricName.purchasesChanged, help: "Purchases whose facts a batch changed.")
        late = registry.counter(
            EntitlementsMetricName.staleFacts, help: "Facts that were older than what was known, and changed nothing.")
        disagreements = registry.counter(
            EntitlementsMetricName.disagreements,
            help: "Changed purchases whose facts say otherwise than Apple's status; the facts win.")
        reads = registry.counter(EntitlementsMetricName.reads, help: "Questions to the read API.")
        readFailures = registry.counter(
            EntitlementsMetricName.readFailures, help: "Questions that the database could not answer.")
        readDuration = registry.histogram(
            EntitlementsMetricName.readDuration, help: "Time of one question to the read API.")
    }

    func merged(changed: Int, late: Int, disagreements: Int) {
        self.changed.increment(by: UInt64(clamping: changed))
        self.late.increment(by: UInt64(clamping: late))
        self.disagreements.increment(by: UInt64(clamping: disagreements))
    }

    func read(nanoseconds: UInt64) {
        reads.increment()
        readDuration.observe(nanoseconds: Int64(clamping: nanoseconds))
    }

    func readFailed() { readFailures.increment() }
}
