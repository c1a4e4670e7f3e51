internal import HTTPServer
internal import Telemetry

/// Counts every request, and logs those that were not simply accepted: a few lines a second for each reason, for a
/// stranger can cause any number of them.
final class DecisionLog: Sendable {
    private static let linesPerSecondAndReason = 2

    private let metrics: IngressMetrics
    private let limited: RateLimitedLogger

    init(_ logger: Logger, _ metrics: IngressMetrics) {
        self.metrics = metrics
        limited = RateLimitedLogger(logger, perSecond: Self.linesPerSecondAndReason)
    }

    /// Called on the loop thread; a line is handed to the log's queue and never waits.
    func take(_ decision: Decision) {
        metrics.decided(decision)
        let isUsual = decision.reason == IngressReason.accepted || decision.reason == IngressReason.duplicate
        guard !isUsual else { return }
        limited.log(
            decision.status >= 500 ? .warning : .info, key: decision.reason, "decision",
            [
                LogField(.reason, decision.reason), LogField(.status, decision.status),
                LogField(.bodyBytes, decision.bodyBytes), LogField(.network, decision.network.description),
            ])
    }
}
