internal import AppStoreModel
internal import AppStoreVerification
internal import HTTPServer
internal import Records
internal import Telemetry

/// Counts every request, and logs every request that was neither accepted nor a duplicate. Each reason is limited to a
/// few lines per second; otherwise, an untrusted client could cause an unlimited number of lines. Never blocks.
final class DecisionLog: Sendable {
    private static let linesPerSecondAndReason = 2

    private let metrics: IngressMetrics
    private let decisions: RateLimitedLogger
    private let explanations: RateLimitedLogger

    init(_ logger: Logger, _ metrics: IngressMetrics) {
        self.metrics = metrics
        decisions = RateLimitedLogger(logger, perSecond: Self.linesPerSecondAndReason)
        explanations = RateLimitedLogger(logger, perSecond: Self.linesPerSecondAndReason)
    }

    /// Records a request's outcome. Called on the loop thread.
    func take(_ decision: RequestOutcome) {
        metrics.decided(decision)
        let isUsual = decision.reason == IngressReason.accepted || decision.reason == IngressReason.duplicate
        guard !isUsual else { return }
        decisions.log(
            decision.status >= 500 ? .warning : .info, key: decision.reason, "decision",
            [
                LogField(.reason, decision.reason), LogField(.status, decision.status),
                LogField(.bodyBytes, decision.bodyBytes), LogField(.network, decision.network.description),
            ])
    }

    /// Logs the details that an operator needs to correct the configuration or contact Apple. Refusals are logged only
    /// if the certificate chain is trusted or lacks only a root; all others come from untrusted clients. Called on a
    /// worker.
    func explain(_ refusal: Refusal) {
        if let fingerprint = refusal.unknownRootFingerprint {
            return explanations.log(
                .warning, key: refusal.reason.rawValue,
                "certificates with Apple's extensions have an unknown root: forged, or missing from root.certificates",
                [LogField(.reason, refusal.reason.rawValue), LogField(.rootFingerprint, fingerprint)])
        }
        // The audience is checked only after the signature has been verified.
        guard refusal.certificates != nil || refusal.step == .audience else { return }
        explanations.log(
            .warning, key: refusal.reason.rawValue, "notification with a trusted certificate chain rejected",
            [
                LogField(.reason, refusal.reason.rawValue),
                refusal.detail.isEmpty ? nil : LogField(.detail, refusal.detail),
                refusal.bundleId.map { LogField(.bundleId, $0) },
                refusal.secondsOutsideValidity.map { LogField(.secondsOutsideValidity, $0) },
                refusal.certificates.map { LogField(.leafSerial, $0.leaf) },
            ].compactMap { $0 })
    }

    /// Logs that a notification differs from the one stored in Kafka with the same UUID. Called on a worker.
    func contradicted(_ id: NotificationUUID) {
        explanations.log(
            .error, key: "contradiction", "different notification with the same notificationUUID; keeping the first",
            [LogField(.notificationUUID, id.rawValue)])
    }

    /// Logs a quarantined notification. Called after Kafka has acknowledged it.
    func explain(_ record: QuarantineRecord) {
        explanations.log(
            .warning, key: record.reason, "notification quarantined",
            [
                LogField(.reason, record.reason), record.detail.map { LogField(.detail, $0) },
                record.bundleId.map { LogField(.bundleId, $0.rawValue) },
                record.notificationUUID.map { LogField(.notificationUUID, $0.rawValue) },
            ].compactMap { $0 })
    }
}
