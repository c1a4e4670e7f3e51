internal import AppStoreModel
internal import EntitlementRules

/// The account that an upload names. It gets the purchase as by `POST /v1/claims` without a transfer: where the purchase
/// belongs to no account once the facts of the upload are known.
struct UploadClaim: Sendable {
    let account: AppAccountToken

    /// The facts of an upload with the claim, or without it where the purchase belongs to an account.
    func added(to facts: PurchaseFacts, knowing known: PurchaseFacts, at now: AppStoreInstant) -> PurchaseFacts {
        var purchase = known
        purchase.merge(facts)
        guard let claim = ChangeRequest(claimOf: purchase, by: account).contribution(to: purchase, at: now) else {
            return facts
        }
        var both = facts
        both.merge(claim)
        return both
    }
}
