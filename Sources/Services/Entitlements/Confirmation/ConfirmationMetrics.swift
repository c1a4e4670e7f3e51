internal import Synchronization
internal import Telemetry

/// The outcome of a query to Apple; the values of the `outcome` label.
enum ConfirmationOutcome: String, Sendable, CaseIterable {
    /// Apple returned signed statements about the purchase.
    case confirmed
    /// One of the transactions is unknown to Apple, so it is either new or forged. The query is retried.
    case unknown
    /// A transaction is still unknown to Apple after seven days. The statement about it is ignored from then on.
    case setAside = "set_aside"
    /// The query failed, or its answer is unusable. The query is retried.
    case failed
}

/// Metrics for confirming version 1 notifications.
final class ConfirmationMetrics: Sendable {
    private let outcomes: [ConfirmationOutcome: Counter]
    private let unconfirmable: Counter
    /// The time at which the oldest query became due, in milliseconds since 1970, and whether queries for an app are
    /// paused.
    private let present = Mutex((oldest: Int64?.none, isPaused: false))

    init(_ registry: MetricsRegistry, now: @escaping @Sendable () -> Int64) {
        outcomes = Dictionary(
            uniqueKeysWithValues: ConfirmationOutcome.allCases.map { outcome in
                (
                    outcome,
                    registry.counter(
                        EntitlementsMetricName.confirmations,
                        help: "Queries to Apple to confirm version 1 notifications, by outcome.",
                        labels: [MetricLabel("outcome", outcome.rawValue)])
                )
            })
        unconfirmable = registry.counter(
            EntitlementsMetricName.unconfirmable,
            help: "Purchases that changed and have version 1 notifications that cannot be confirmed.")
        registry.collect { [weak self] samples in
            guard let (oldest, isPaused) = self?.present.withLock({ $0 }) else { return }
            samples.gauge(
                EntitlementsMetricName.confirmationsPaused,
                help: "1 if App Store Server API queries are paused after failures, otherwise 0.", isPaused ? 1 : 0)
            samples.gauge(
                EntitlementsMetricName.unconfirmedOldest,
                help:
                    "Age in seconds of the oldest version 1 statement that Apple has neither confirmed nor refuted.",
                Double(oldest.map { max(0, now() - $0) } ?? 0) / 1_000)
        }
    }

    func asked(_ outcome: ConfirmationOutcome) { outcomes[outcome]?.increment() }
    func unconfirmable(_ count: Int) { unconfirmable.increment(by: UInt64(clamping: count)) }
    func waiting(since oldest: Int64?, isPaused: Bool) { present.withLock { $0 = (oldest, isPaused) } }
}
