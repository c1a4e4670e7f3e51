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
                WebhooksMetricName.attempts, help: "Webhook delivery attempts, by outcome.",
                labels: [MetricLabel("outcome", outcome.rawValue)])
        }
        self.attempts = attempts
        duration = registry.histogram(
            WebhooksMetricName.attemptDuration, help: "Duration of one delivery attempt, whatever its outcome.")
        stop = registry.gauge(
            WebhooksMetricName.stopped, help: "1 if the receiver responded 410 and deliveries stopped, otherwise 0.")
        stop.set(0)
        pause = registry.gauge(
            WebhooksMetricName.paused, help: "1 if webhooks.paused is set and nothing is delivered, otherwise 0.")
        pause.set(0)
    }

    /// Reports that delivery is paused by configuration.
    func paused() { pause.set(1) }

    /// Reports that delivery has stopped because the receiver responded 410.
    func stopped() { stop.set(1) }

    func attempted(_ outcome: WebhooksOutcome, nanoseconds: UInt64) {
        attempts[outcome]?.increment()
        duration.observe(nanoseconds: Int64(clamping: nanoseconds))
    }
}
