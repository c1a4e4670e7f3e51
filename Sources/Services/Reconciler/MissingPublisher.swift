internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import Kafka
internal import Publication
internal import Records
internal import Time

/// Publishes what is missing, and returns when Kafka has it.
struct MissingPublisher: Sendable {
    let publisher: NotificationPublisher
    let clocks: Clocks

    /// - Throws: a `KafkaError`; the notification is found missing again.
    func publish(_ notification: AcceptedNotification) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            publisher.publish(notification, receivedAt: now, origin: .history) { result in
                continuation.resume(with: result.mapError { $0 })
            }
        }
    }

    /// - Throws: a `KafkaError`; it is found again.
    func quarantine(_ notification: NonconformingNotification, _ signedPayload: [UInt8]) async throws {
        // Its signature was verified, or it would not have come here.
        guard
            let record = QuarantinableNotification(
                notification, body: signedPayload, receivedAt: now, source: .history)?.record
        else { return }
        try await write(record)
    }

    /// Quarantines what Apple returned for an app and was refused: over a verified connection it comes from Apple, so it
    /// is kept for a person to judge.
    ///
    /// - Throws: a `KafkaError`; it is found again.
    func quarantine(_ refused: RefusedObject, _ signedPayload: [UInt8], _ scope: APIScope) async throws {
        try await write(
            QuarantineRecord(
                reason: refused.reason, detail: refused.detail, receivedAt: now, environment: scope.environment,
                bundleId: scope.bundleId, source: .history, receivedBytes: signedPayload))
    }

    private func write(_ record: QuarantineRecord) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            publisher.quarantine(record) { continuation.resume(with: $0.mapError { $0 }) }
        }
    }

    private var now: AppStoreInstant { AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds()) }
}
