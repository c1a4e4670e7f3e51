internal import Synchronization
internal import Telemetry

/// Counts one signal's exports, and logs when they start to fail and when they succeed again.
final class MonitoredClient: Sendable {
    private let client: OTLPClient
    private let signal: String
    private let logger: Logger
    private let outcomes: LabelledCounters
    private let isFailing = Mutex(false)

    init(_ client: OTLPClient, signal: String, metrics: MetricsRegistry, logger: Logger) {
        self.client = client
        self.signal = signal
        self.logger = logger
        outcomes = metrics.counters(
            OTLPMetricName.exports, help: "Attempts to export traces or metrics to the collector, by outcome.",
            label: "outcome", values: ["accepted", "retriable", "refused", "cancelled"],
            labels: [MetricLabel("signal", signal)])
    }

    func post(_ body: [UInt8], within limit: Duration? = nil) async -> OTLPClient.Outcome {
        let outcome = await client.post(body, within: limit)
        switch outcome {
        case .accepted:
            outcomes["accepted"].increment()
            if change(isFailing: false) { logger.info("telemetry export succeeded again", [LogField(.signal, signal)]) }
        case .retriable(let reason, _): failed("retriable", reason)
        case .refused(let reason): failed("refused", reason)
        case .cancelled: outcomes["cancelled"].increment()
        }
        return outcome
    }

    private func failed(_ outcome: String, _ reason: String) {
        outcomes[outcome].increment()
        guard change(isFailing: true) else { return }
        logger.warning(
            "telemetry export failed; further failures are not logged until an export succeeds",
            [LogField(.signal, signal), LogField(.error, reason)])
    }

    private func change(isFailing new: Bool) -> Bool {
        isFailing.withLock { old in
            defer { old = new }
            return old != new
        }
    }
}
