internal import AppStoreModel
internal import EntitlementRules

/// A claim by the account that an upload names. It follows the rules of `POST /v1/claims` without a transfer: the
/// account gets the purchase if it belongs to no account once the facts of the upload are known.
struct UploadClaim: Sendable {
    let account: AppAccountToken

    /// Returns the facts of an upload with the claim, or without it if the purchase already belongs to an account.
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
