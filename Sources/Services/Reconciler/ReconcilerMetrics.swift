internal import AppStoreModel
internal import Reconciliation
internal import Records
internal import Synchronization
internal import Telemetry

/// Metrics of the service, in addition to the runtime's.
final class ReconcilerMetrics: Sendable {
    private let sweptCounter: Counter
    private let foundCounter: Counter
    private let publishedCounter: Counter
    private let quarantinedCounter: Counter
    private let refusedCounter: Counter
    private let callCounter: Counter
    private let repairedCounter: Counter
    private let repeatedPages: Counter
    private let outages: Counter
    private let failures: [SweepFailureCause: Counter]
    /// This member's current sweeps.
    private let sweeps = Mutex<[Sweep]>([])

    init(_ registry: MetricsRegistry) {
        sweptCounter = registry.counter(
            ReconcilerMetricName.swept, help: "Notifications read from Apple's history, including repeated ones.")
        foundCounter = registry.counter(
            ReconcilerMetricName.found, help: "Notifications in Apple's history that were not in their topic.")
        publishedCounter = registry.counter(
            ReconcilerMetricName.published,
            help: "Notifications that were missing from their topic and have been published.")
        quarantinedCounter = registry.counter(
            ReconcilerMetricName.quarantined,
            help: "Nonconforming notifications from Apple's history that were quarantined.")
        refusedCounter = registry.counter(
            ReconcilerMetricName.refused,
            help: "Objects in Apple's history that failed verification, or belong to a different app or environment.")
        callCounter = registry.counter(
            ReconcilerMetricName.calls, help: "Requests to the App Store Server API, whatever their outcome.")
        repairedCounter = registry.counter(
            ReconcilerMetricName.repaired,
            help: "Subscriptions for which Apple's signed status was published and acknowledged.")
        repeatedPages = registry.counter(
            ReconcilerMetricName.repeatedPages,
            help: "Pagination tokens that Apple returned twice; the sweep stops at the repeated page.")
        outages = registry.counter(
            ReconcilerMetricName.outages, help: "Sweeps scheduled because notifications resumed after a gap.")
        failures = Dictionary(
            uniqueKeysWithValues: SweepFailureCause.allCases.map {
                (
                    $0,
                    registry.counter(
                        ReconcilerMetricName.failures, help: "Sweep failures that are retried, by cause.",
                        labels: [MetricLabel("cause", $0.rawValue)])
                )
            })
        registry.collect { [weak self] samples in self?.sample(&samples) }
    }

    func swept(_ count: Int, refused: Int) {
        sweptCounter.increment(by: UInt64(clamping: count))
        refusedCounter.increment(by: UInt64(clamping: refused))
    }

    func found(isPublished: Bool) {
        foundCounter.increment()
        if isPublished { publishedCounter.increment() }
    }

    func quarantined() { quarantinedCounter.increment() }
    func repaired() { repairedCounter.increment() }
    func called() { callCounter.increment() }
    func pageRepeated() { repeatedPages.increment() }
    func recovered() { outages.increment() }
    func failed(_ cause: SweepFailureCause) { failures[cause]?.increment() }

    /// Sets this member's current sweeps.
    func present(_ sweeps: [Sweep]) { self.sweeps.withLock { $0 = sweeps } }

    private func sample(_ samples: inout MetricSamples) {
        let sweeps = sweeps.withLock { $0 }
        for sweep in sweeps where !sweep.kind.isBackfill {
            let scope = [
                MetricLabel("app", sweep.bundleId.rawValue),
                MetricLabel("environment", sweep.environment.topicSuffix),
            ]
            let labels = scope + [MetricLabel("sweep", sweep.kind.text)]
            if let last = sweep.last, sweep.kind == .statuses {
                samples.gauge(
                    ReconcilerMetricName.statusDifferences,
                    help: "Subscriptions whose status differed from Apple's in the last complete comparison.",
                    labels: scope, Double(last.counts.differing))
                samples.gauge(
                    ReconcilerMetricName.unrepaired,
                    help: "Subscriptions whose status differed from Apple's in the last complete comparison, and for "
                        + "which nothing was published.",
                    labels: scope,
                    Double(last.counts.unrepaired))
            } else if let last = sweep.last {
                samples.gauge(
                    ReconcilerMetricName.missing,
                    help: "Notifications that the last complete sweep found missing from their topic.",
                    labels: labels, Double(last.counts.missing))
                samples.gauge(
                    ReconcilerMetricName.notBroughtIn,
                    help:
                        "Notifications found by the last complete sweep that were not published to their topic because "
                        + "they were rejected or nonconforming.",
                    labels: labels, Double(last.counts.notBroughtIn))
                samples.gauge(
                    ReconcilerMetricName.unread,
                    help: "Windows of Apple's history that the last complete sweep failed to read and skipped.",
                    labels: labels, Double(last.counts.unread))
            }
            samples.gauge(
                ReconcilerMetricName.lastComplete,
                help: "Start of the last complete sweep, in seconds since 1970; 0 before the first one.",
                labels: labels,
                Double(sweep.last?.startedAt ?? 0) / 1_000)
            samples.gauge(
                ReconcilerMetricName.progress,
                help: "Progress of the current sweep, from 0 to 1; 1 if none is running.",
                labels: labels, sweep.run?.progress?.share ?? 1)
        }
        samples.gauge(
            ReconcilerMetricName.failing, help: "This member's sweeps whose last attempt failed.",
            Double(sweeps.count { $0.run?.failure != nil }))
    }
}
