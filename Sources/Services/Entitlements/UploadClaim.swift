internal import AppStoreModel
internal import EntitlementRules

/// A claim by the account named in an upload. It follows the rules of `POST /v1/claims` without a transfer: the account
/// receives the purchase if no account owns it once the upload's facts are merged.
struct UploadClaim: Sendable {
    let account: AppAccountToken

    /// Returns an upload's facts with the claim added, or unchanged if the purchase already belongs to an account.
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
