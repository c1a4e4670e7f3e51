package import AppStoreModel
package import AppStoreVerification
internal import Cryptography
package import Records

/// A nonconforming notification, ready for the quarantine topic. What follows knows no form.
package struct QuarantinableNotification: Sendable {
    package let record: QuarantineRecord
    package let duplicateKey: DuplicateKey

    /// - Parameter body: as received.
    /// - Returns: nil only if the verifier quarantined what it had verified no signature of.
    package init?(
        _ notification: NonconformingNotification, body: [UInt8], receivedAt: AppStoreInstant?, source: RecordOrigin
    ) {
        guard let key = notification.signedPartDigest.flatMap(DuplicateKey.init(contentDigest:)) else { return nil }
        duplicateKey = key
        record = QuarantineRecord(notification, body: body, receivedAt: receivedAt, source: source)
    }

    /// A version 1 or older body with the right password.
    /// - Parameters:
    ///   - reason: the verdict's code.
    ///   - bundleId: nil where it is not known which app it is for.
    ///   - redacted: the body less what must not be kept.
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
