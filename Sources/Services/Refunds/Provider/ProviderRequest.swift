internal import AppStoreModel
internal import Cryptography
internal import JSON
internal import RefundRules

/// The request to the company's service about one case: `type`, `timestamp` and `data`, according to Standard Webhooks.
///
/// A case's data may grow between attempts, but equal IDs imply equal bodies.
struct ProviderRequest: Sendable {
    let id: String
    let body: [UInt8]

    init(_ facts: RefundFacts) {
        var json = JSONWriter()
        json.object {
            $0.set("type", ProviderName.requestType)
            $0.set("timestamp", facts.requestedAt.description)
            $0.object("data") { Self.write(facts, to: &$0) }
        }
        body = json.bytes
        id = "refund-" + SHA256.digest(of: body).hex.prefix(32)
    }

    /// Writes the facts with Apple's names and units. Facts omitted by Apple are absent.
    private static func write(_ facts: RefundFacts, to data: inout JSONWriter) {
        data.set("environment", facts.environment.rawValue)
        data.set("bundleId", facts.bundleId.rawValue)
        data.set("transactionId", facts.transactionId.rawValue)
        data.set("originalTransactionId", facts.originalTransactionId?.rawValue)
        data.set("appTransactionId", facts.appTransactionId?.rawValue)
        data.set("productId", facts.productId?.rawValue)
        data.set("productType", facts.productType?.rawValue)
        data.set("price", facts.price)
        data.set("currency", facts.currency)
        data.set("quantity", facts.quantity)
        data.set("purchaseDate", facts.purchaseDate?.millisecondsSince1970)
        data.set("expiresDate", facts.expiresDate?.millisecondsSince1970)
        data.set("inAppOwnershipType", facts.inAppOwnershipType?.rawValue)
        data.set("storefront", facts.storefront)
        data.set("offerType", facts.offerType?.rawValue)
        data.set("offerDiscountType", facts.offerDiscountType?.rawValue)
        data.set("transactionReason", facts.transactionReason?.rawValue)
        data.set("appAccountToken", facts.appAccountToken?.rawValue)
        data.set("consumptionRequestReason", facts.consumptionRequestReason?.rawValue)
        data.set("requestedAt", facts.requestedAt.millisecondsSince1970)
        data.set("isAdvancedCommerce", facts.isAdvancedCommerce)
        data.set("deadline", facts.deadline?.millisecondsSince1970)
        data.set("round", facts.round)
        data.set("earlierRefunds", facts.earlierRefunds)
        data.set("earlierRequests", facts.earlierRequests)
        data.set("earlierRequestsOfTransaction", facts.earlierRequestsOfTransaction)
        data.set("consentRescindedAt", facts.consentRescindedAt?.millisecondsSince1970)
    }
}
