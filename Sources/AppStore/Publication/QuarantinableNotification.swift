package import AppStoreModel
package import AppStoreVerification
internal import Cryptography
package import Records

/// A nonconforming notification that is ready for the quarantine topic. From here on, the version of its body does not
/// matter.
package struct QuarantinableNotification: Sendable {
    package let record: QuarantineRecord
    package let duplicateKey: DuplicateKey

    /// - Parameter body: the body as received.
    /// - Returns: the notification, or nil only if the verifier quarantined a body without a verified signature.
    package init?(
        _ notification: NonconformingNotification, body: [UInt8], receivedAt: AppStoreInstant?, source: RecordOrigin
    ) {
        guard let key = notification.signedPartDigest.flatMap(DuplicateKey.init(contentDigest:)) else { return nil }
        duplicateKey = key
        record = QuarantineRecord(notification, body: body, receivedAt: receivedAt, source: source)
    }

    /// Creates a value from a version 1 or older body with the correct password.
    /// - Parameters:
    ///   - reason: the verdict code.
    ///   - bundleId: the app, or nil if unknown.
    ///   - redacted: the body without the parts that must not be stored.
    package init?(
        legacy redacted: [UInt8], reason: String, detail: String, bundleId: BundleId?,
        environment: AppStoreEnvironment?, receivedAt: AppStoreInstant
    ) {
        guard let key = DuplicateKey(contentDigest: SHA256.digest(of: redacted).bytes) else { return nil }
        duplicateKey = key
        record = QuarantineRecord(
            reason: reason, detail: detail, receivedAt: receivedAt, environment: environment, bundleId: bundleId,
            receivedBytes: redacted)
    }
}
