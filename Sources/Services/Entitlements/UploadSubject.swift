internal import AppStoreModel
internal import AppStoreVerification
internal import Primitives

/// Identifies the transaction in an upload.
struct UploadSubject: Sendable, Equatable {
    let bundleId: BundleId
    let environment: AppStoreEnvironment
    let originalTransactionId: OriginalTransactionId
    let transactionId: TransactionId

    init?(_ verified: VerifiedTransaction) {
        guard let payload = try? TransactionPayload(json: verified.transaction),
            let originalTransactionId = payload.originalTransactionId, let transactionId = payload.transactionId
        else { return nil }
        bundleId = verified.bundleId
        environment = verified.environment
        self.originalTransactionId = originalTransactionId
        self.transactionId = transactionId
    }

    /// Reads the identifiers in a compact JWS without verifying it. Use them only for queries to Apple.
    init?(unverified jws: [UInt8]) {
        let segments = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 3, let bytes = try? Base64URL.decode(Array(segments[1])),
            let payload = try? TransactionPayload(json: bytes),
            let bundleId = payload.bundleId, let environment = payload.environment,
            let originalTransactionId = payload.originalTransactionId, let transactionId = payload.transactionId
        else { return nil }
        self.bundleId = bundleId
        self.environment = environment
        self.originalTransactionId = originalTransactionId
        self.transactionId = transactionId
    }
}
