internal import AppStoreModel
internal import JSON

/// The renewal facts of a subscription, from which `signedRenewalInfo` is created.
struct Renewal: Sendable {
    var originalTransactionId: String
    /// The product of the current or last period.
    var product: Product
    /// The product of the next renewal. It differs from `product` while a change is pending.
    var nextProduct: Product
    /// Whether the subscription renews for another billing period.
    var renewsAutomatically = true
    /// Whether a commitment renews at its end.
    var commitmentRenews = true
    var isInBillingRetry = false
    /// The end of the grace period, in milliseconds since 1970 like all dates in this type.
    var gracePeriodExpiresDate: Int64?
    /// Whether the payload contains the end of the grace period.
    var sendsGracePeriodDate = true
    /// The end date of a grace period that ended early because the customer cancelled. The cancellation does not change
    /// the date.
    var endedGracePeriodDate: Int64?
    var expirationIntent: ExpirationIntent?
    /// Apple's price increase status: 0 not answered, 1 consented; absent if no increase was announced.
    var priceIncreaseStatus: Int64?
    /// The renewal price, in milliunits of the storefront's currency.
    var renewalPrice: Int64
    /// The offer that applies to the next renewal.
    var offer: Offer?
    var quantity: Int64
    var recentSubscriptionStartDate: Int64

    /// Returns the payload of `signedRenewalInfo`, signed at the given time.
    func payload(signedDate: Int64, transaction: Transaction, app: SimulatedApp, account: Account) -> JSONObject {
        var payload = JSONObject()
        // Apple sends intent 2, a billing error, starting with the first retry of the charge. Source: Apple,
        // isInBillingRetryPeriod.
        let intent = expirationIntent ?? (isInBillingRetry ? .billingError : nil)
        payload.put("expirationIntent", (intent?.rawValue).map { Int64($0) })
        payload.put("originalTransactionId", originalTransactionId)
        payload.put("autoRenewProductId", nextProduct.productId(in: app.bundleId))
        payload.put("productId", product.productId(in: app.bundleId))
        payload.put("autoRenewStatus", renewsAutomatically ? 1 : 0 as Int64)
        payload.put("renewalPrice", renewsAutomatically ? renewalPrice : nil)
        payload.put("currency", account.storefront.currency)
        payload.put("isInBillingRetryPeriod", isInBillingRetry ? true : nil)
        payload.put("priceIncreaseStatus", priceIncreaseStatus)
        payload.put(
            "gracePeriodExpiresDate", sendsGracePeriodDate ? gracePeriodExpiresDate ?? endedGracePeriodDate : nil)
        payload.put("offerType", offer?.type)
        payload.put("offerIdentifier", offer?.identifier)
        payload.put("offerDiscountType", offer?.discountType)
        payload.put("offerPeriod", offer?.period)
        payload.put("signedDate", signedDate)
        payload.put("environment", app.environment.rawValue)
        payload.put("recentSubscriptionStartDate", recentSubscriptionStartDate)
        payload.put("renewalDate", transaction.expiresDate)
        payload.put(
            "eligibleWinBackOfferIds", expirationIntent == .customerCancelled ? [Offer.winBack.identifier ?? ""] : nil)
        payload.put("appTransactionId", account.appTransactionId)
        payload.put("appAccountToken", transaction.ownership == .purchased ? account.appAccountToken : nil)
        putPlan(into: &payload, transaction: transaction, app: app)
        return payload
    }

    private func putPlan(into payload: inout JSONObject, transaction: Transaction, app: SimulatedApp) {
        if nextProduct.committedPeriods > 0 {
            var commitment = JSONObject()
            commitment.put("commitmentAutoRenewProductId", nextProduct.productId(in: app.bundleId))
            commitment.put("commitmentAutoRenewStatus", commitmentRenews ? 1 : 0 as Int64)
            commitment.put("commitmentRenewalBillingPlanType", "MONTHLY")
            commitment.put("commitmentRenewalDate", transaction.commitmentExpiresDate)
            commitment.put("commitmentRenewalPrice", renewalPrice * nextProduct.committedPeriods)
            payload.put("renewalBillingPlanType", "MONTHLY")
            payload.put("commitmentInfo", commitment)
        }
        if nextProduct.isMultiSeat {
            payload.put("renewalQuantity", quantity)
        }
        if nextProduct.isAdvancedCommerce {
            payload.put(
                "advancedCommerceInfo", AdvancedCommerce.renewal(of: originalTransactionId, price: renewalPrice))
        }
    }

    /// Returns the `status` that Apple would report for the subscription at the given time, derived from the renewal
    /// and the transaction.
    func status(of transaction: Transaction, at instant: Int64) -> Int64 {
        if let revocation = transaction.revocation, revocation.date <= instant { return 5 }
        if let expiresDate = transaction.expiresDate, expiresDate > instant { return 1 }
        guard isInBillingRetry else { return 2 }
        if let grace = gracePeriodExpiresDate, grace > instant { return 4 }
        return 3
    }
}
