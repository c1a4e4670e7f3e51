internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import EntitlementRules

/// Queries Apple for the current state of an uploaded transaction that has an old signature or an expired certificate.
struct UploadConfirmation: Sendable {
    let client: AppStoreServerClient
    /// Apps with an App Store Server API key.
    let apps: Set<BundleId>

    static let fix = """
        have the app fetch the transaction from StoreKit again (AppStore.sync() returns a new signature), or set \
        appstore.api.issuer.id, appstore.api.key.id and appstore.api.key.file to confirm it with Apple
        """

    func isAvailable(for app: BundleId) -> Bool { apps.contains(app) }

    /// Fetches the transaction with Apple's current signature, through Get Transaction Info.
    func facts(of subject: UploadSubject) async throws(UploadError) -> PurchaseFacts {
        let verified: VerifiedTransaction
        do throws(APIError) {
            verified = try await client.getTransactionInfo(
                subject.transactionId, APIScope(subject.bundleId, in: subject.environment))
        } catch {
            guard !error.saysNoSuchTransaction else { throw Self.unknown }
            throw UploadError(
                503, ReadAPIName.unavailable, "failed to query Apple about the transaction: \(error.message)")
        }
        let facts: PurchaseFacts
        do throws(Refusal) {
            facts = try TransactionUpload.facts(of: verified)
        } catch {
            throw UploadError(422, ReadAPIName.notReadable, error.message)
        }
        guard facts.originalTransactionId == subject.originalTransactionId else { throw Self.unknown }
        return facts
    }

    private static let unknown = UploadError(
        422, ReadAPIName.notConfirmed, "the transaction is unknown to Apple for this app and environment")
}
