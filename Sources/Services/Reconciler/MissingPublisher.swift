internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import Kafka
internal import Primitives
internal import Publication
internal import Records

/// Publishes missing notifications; each call returns once Kafka has acknowledged the records.
struct MissingPublisher: Sendable {
    let publisher: NotificationPublisher
    let clocks: Clocks

    /// - Throws: a `KafkaError`; a later sweep finds the notification again.
    func publish(_ notification: AcceptedNotification) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            publisher.publish(notification, receivedAt: now, origin: .history) { result in
                continuation.resume(with: result.mapError { $0 })
            }
        }
    }

    /// - Throws: a `KafkaError`; a later sweep finds the notification again.
    func quarantine(_ notification: NonconformingNotification, _ signedPayload: [UInt8]) async throws {
        // Callers pass only notifications with a verified signature.
        guard
            let record = QuarantinableNotification(
                notification, body: signedPayload, receivedAt: now, source: .history)?.record
        else { return }
        try await write(record)
    }

    /// Quarantines a refused object that Apple returned for an app. The object came from Apple over a verified
    /// connection, so it is kept for examination.
    ///
    /// - Parameter received: the object's text, or the part of the response that contains it.
    /// - Throws: a `KafkaError`; a later sweep finds the object again.
    func quarantine(_ refused: RefusedObject, _ received: [UInt8], _ scope: APIScope) async throws {
        try await write(
            QuarantineRecord(
                reason: refused.reason, detail: refused.detail, receivedAt: now, environment: scope.environment,
                bundleId: scope.bundleId, source: .history, receivedBytes: received))
    }

    private func write(_ record: QuarantineRecord) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            publisher.quarantine(record) { continuation.resume(with: $0.mapError { $0 }) }
        }
    }

    private var now: AppStoreInstant { AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds()) }
}
