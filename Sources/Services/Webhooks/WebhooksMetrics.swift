internal import Telemetry

/// Metrics of the service, in addition to the runtime's.
struct WebhooksMetrics: Sendable {
    private let attempts: [WebhooksOutcome: Counter]
    private let duration: Histogram
    private let stop: Gauge
    private let pause: Gauge

    init(_ registry: MetricsRegistry) {
        var attempts: [WebhooksOutcome: Counter] = [:]
        for outcome in WebhooksOutcome.allCases {
            attempts[outcome] = registry.counter(
                WebhooksMetricName.attempts, help: "Attempts to deliver a webhook, by outcome.",
                labels: [MetricLabel("outcome", outcome.rawValue)])
        }
        self.attempts = attempts
        duration = registry.histogram(
            WebhooksMetricName.attemptDuration, help: "Time of one attempt, whatever its outcome.")
        stop = registry.gauge(
            WebhooksMetricName.stopped, help: "1 after the receiver answered 410: nothing is delivered any more.")
        stop.set(0)
        pause = registry.gauge(
            WebhooksMetricName.paused, help: "1 while webhooks.paused is set: nothing is read or delivered.")
        pause.set(0)
    }

    /// Records that delivery is paused by configuration.
    func paused() { pause.set(1) }

    /// Records that the receiver answered 410 and delivery has stopped.
    func stopped() { stop.set(1) }

    func attempted(_ outcome: WebhooksOutcome, nanoseconds: UInt64) {
        attempts[outcome]?.increment()
        duration.observe(nanoseconds: Int64(clamping: nanoseconds))
    }
}
