internal import AppStoreModel
internal import JSON

/// The facts of one transaction, from which `signedTransactionInfo` is created.
struct Transaction: Sendable {
    var transactionId: String
    var originalTransactionId: String
    var previousOriginalTransactionId: String?
    /// The line item's id, or nil for all products other than subscriptions.
    var webOrderLineItemId: String?
    var product: Product
    var ownership: Scenario.Ownership
    /// The purchase date in milliseconds since 1970, like all dates in this type.
    var purchaseDate: Int64
    var originalPurchaseDate: Int64
    /// The end of the period, or nil for all products other than auto-renewable subscriptions.
    var expiresDate: Int64?
    var quantity: Int64 = 1
    /// The price in milliunits of the storefront's currency: the unit price for seats, otherwise the total for the
    /// quantity. Source: Apple, JWSTransactionDecodedPayload, "price".
    var price: Int64
    var offer: Offer?
    var isRenewal = false
    var isUpgraded = false
    /// The time at which an upgrade to another product replaced this transaction.
    var upgradeDate: Int64?
    /// Whether seats were added during the period. All transactions of the period are marked, including the first one
    /// when it is signed again.
    var hasAddedSeats = false
    var revokedSeats: Int64?
    var revocation: Revocation?
    /// The one-based number of the committed period.
    var commitmentPeriod: Int64 = 1
    var commitmentExpiresDate: Int64?

    /// The id of the only subscription group.
    static let group = "21345678"

    /// A refund or the end of Family Sharing.
    struct Revocation: Sendable {
        let date: Int64
        /// Apple's `revocationReason`: 0 other, 1 an issue in the app.
        let reason: Int64
        /// Apple's `revocationType`.
        let type: String
        /// The refunded share in thousandths of a percent; nil if nothing was refunded.
        let percentage: Int64?
    }

    /// Returns the payload of `signedTransactionInfo`, signed at the given time.
    func payload(signedDate: Int64, app: SimulatedApp, account: Account) -> JSONObject {
        var payload = JSONObject()
        payload.put("transactionId", transactionId)
        payload.put("originalTransactionId", originalTransactionId)
        payload.put("previousOriginalTransactionId", previousOriginalTransactionId)
        payload.put("webOrderLineItemId", webOrderLineItemId)
        payload.put("bundleId", app.bundleId.rawValue)
        payload.put("productId", product.productId(in: app.bundleId))
        payload.put("subscriptionGroupIdentifier", product.kind == .autoRenewable ? Self.group : nil)
        payload.put("purchaseDate", purchaseDate)
        payload.put("originalPurchaseDate", originalPurchaseDate)
        payload.put("expiresDate", expiresDate)
        payload.put("quantity", quantity)
        payload.put("type", product.kind.rawValue)
        payload.put("appAccountToken", ownership == .purchased ? account.appAccountToken : nil)
        payload.put("inAppOwnershipType", ownership.rawValue)
        payload.put("signedDate", signedDate)
        payload.put("isUpgraded", isUpgraded ? true : nil)
        putRevocation(into: &payload)
        payload.put("offerType", offer?.type)
        payload.put("offerIdentifier", offer?.identifier)
        payload.put("offerDiscountType", offer?.discountType)
        payload.put("offerPeriod", offer?.period)
        payload.put("environment", app.environment.rawValue)
        payload.put("transactionReason", isRenewal ? "RENEWAL" : "PURCHASE")
        payload.put("additionalTransactionReason", hasAddedSeats ? "SEAT_ADDITION" : nil)
        payload.put("storefront", account.storefront.country)
        payload.put("storefrontId", account.storefront.identifier)
        payload.put("price", ownership == .purchased ? price : nil)
        payload.put("currency", ownership == .purchased ? account.storefront.currency : nil)
        payload.put("appTransactionId", account.appTransactionId)
        putPlan(into: &payload)
        return payload
    }

    private func putRevocation(into payload: inout JSONObject) {
        payload.put("revocationDate", revocation?.date)
        payload.put("revocationReason", revocation?.reason)
        payload.put("revocationType", revocation?.type)
        payload.put("revocationPercentage", revocation?.percentage)
    }

    private func putPlan(into payload: inout JSONObject) {
        if product.committedPeriods > 0 {
            var commitment = JSONObject()
            commitment.put("billingPeriodNumber", commitmentPeriod)
            commitment.put("totalBillingPeriods", product.committedPeriods)
            commitment.put("commitmentPrice", price * product.committedPeriods)
            commitment.put("commitmentExpiresDate", commitmentExpiresDate)
            payload.put("billingPlanType", "MONTHLY")
            payload.put("commitmentInfo", commitment)
        }
        if product.isMultiSeat {
            var seats = JSONObject()
            seats.put("invitationManagement", "APPLE")
            seats.put("revokedSeatQuantity", revokedSeats)
            payload.put("multiSeatInfo", seats)
        }
        if product.isAdvancedCommerce {
            payload.put(
                "advancedCommerceInfo", AdvancedCommerce.transaction(of: originalTransactionId, price: price))
        }
    }
}
