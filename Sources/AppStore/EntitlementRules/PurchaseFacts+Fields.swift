package import AppStoreModel
package import JSON

extension PurchaseFacts {
    package var environment: AppStoreEnvironment { storage.fields.environment }
    package var bundleId: BundleId { storage.fields.bundleId }
    package var originalTransactionId: OriginalTransactionId { storage.fields.originalTransactionId }
    package var transactions: Transactions { storage.fields.transactions }
    /// The newest statement about any transaction, with all its members.
    package var latestTransaction: TransactionDetails? { storage.fields.latestTransaction }
    package var renewal: RenewalFacts? { storage.fields.renewal }
    package var status: StatusFacts? { storage.fields.status }
    package var claim: OwnerClaim? { storage.fields.claim }
    /// The account in the newest transaction statement that names one, even if the transaction is no longer stored.
    package var namedAccount: OwnerClaim? { storage.fields.namedAccount }
    /// The transactions that began with an upgrade, each with the upgrade's signedDate.
    package var upgrades: [TransactionKey: AppStoreInstant] { storage.fields.upgrades }
    /// The starts of the periods that the customer bought under an account, each with the signedDate of the newest
    /// statement about the period. Renewals are not included.
    var purchases: [AppStoreInstant: AppStoreInstant] { storage.fields.purchases }
    var history: PurchaseEvents { storage.fields.history }
    /// The facts from version 1 or older notifications, or nil for most purchases.
    var legacyStorage: LegacyStorage? { storage.fields.legacyStorage }
    /// The purchases that continue this one after a migration to Advanced Commerce or a switch to or from a bundle,
    /// each with the date of the change.
    package var successors: [OriginalTransactionId: AppStoreInstant] { storage.fields.successors }
    /// The purchases that this one continues, each with the date of the change.
    package var predecessors: [OriginalTransactionId: AppStoreInstant] { storage.fields.predecessors }
    /// The account in the transactions of the purchase that this one continues. `transferredClaim` is the account that
    /// the app claims for that purchase.
    package var transferredToken: OwnerClaim? { storage.fields.transferredToken }
    package var transferredClaim: OwnerClaim? { storage.fields.transferredClaim }
    /// The time of the latest erasure, or nil if there was none. All facts signed up to that time were erased.
    package var erasedAt: AppStoreInstant? { storage.fields.erasedAt }
    /// Members written by a later version of this library.
    package var unknownFields: JSONObject { storage.fields.unknownFields }
}
