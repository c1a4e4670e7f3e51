internal import AppStoreModel
internal import JSON

/// The stored properties of ``PurchaseFacts``, which documents them.
struct PurchaseFields: Hashable, Sendable {
    let environment: AppStoreEnvironment
    let bundleId: BundleId
    let originalTransactionId: OriginalTransactionId
    var transactions = Transactions()
    var latestTransaction: TransactionDetails?
    var renewal: RenewalFacts?
    var status: StatusFacts?
    var claim: OwnerClaim?
    var namedAccount: OwnerClaim?
    var upgrades: [TransactionKey: AppStoreInstant] = [:]
    var purchases: [AppStoreInstant: AppStoreInstant] = [:]
    var history = PurchaseEvents()
    var legacyStorage: LegacyStorage?
    var successors: [OriginalTransactionId: AppStoreInstant] = [:]
    var predecessors: [OriginalTransactionId: AppStoreInstant] = [:]
    var transferredToken: OwnerClaim?
    var transferredClaim: OwnerClaim?
    var erasedAt: AppStoreInstant?
    var unknownFields = JSONObject()

    init(environment: AppStoreEnvironment, bundleId: BundleId, originalTransactionId: OriginalTransactionId) {
        self.environment = environment
        self.bundleId = bundleId
        self.originalTransactionId = originalTransactionId
    }
}
