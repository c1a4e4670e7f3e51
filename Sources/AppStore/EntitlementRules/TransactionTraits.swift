package import AppStoreModel
internal import JSON

/// Members that are usually the same in all transactions of a purchase, stored once for all transactions with equal
/// values.
package final class TransactionTraits: Sendable {
    /// An amount that is out of range. A transaction with such a quantity or percentage is not credited.
    package enum AmountProblem: String, Sendable, CaseIterable {
        /// The quantity is not a whole number from 1 to 2^31 - 1.
        case quantity
        /// The percentage is not a whole number from 0 to 100000.
        case revocationPercentage
        /// The items exceed the limit on number or size. Only the first items are stored.
        case items
    }

    /// One item in an Advanced Commerce transaction.
    package struct Item: Hashable, Sendable {
        package var sku: String
        package var revocationDate: AppStoreInstant?
    }

    let productId: ProductId?
    let type: ProductType?
    /// The quantity (at least 1), or nil if Apple sent none or one out of range (see `amountProblems`).
    let quantity: Int32?
    let inAppOwnershipType: InAppOwnershipType?
    let isUpgraded: Bool
    /// The revoked share in thousandths of a percent (0 to 100000).
    let revocationPercentage: Int32?
    let appAccountToken: AppAccountToken?
    let appTransactionId: AppTransactionId?
    let hasAddedSeats: Bool
    let revokedSeatQuantity: Int32?
    let previousOriginalTransactionId: OriginalTransactionId?
    let billingPlanType: BillingPlanType?
    /// The end of the commitment. It is the same in all periods of a commitment unless a failed charge was recovered.
    let commitmentExpiresDate: AppStoreInstant?
    let originalPurchaseDate: AppStoreInstant?
    let revocationReason: RevocationReason?
    let offerType: OfferType?
    let offerIdentifier: String?
    let offerDiscountType: OfferDiscountType?
    /// The price in milliunits of the currency.
    let price: Int64?
    let currency: String?
    let items: [Item]
    let amountProblems: [AmountProblem]
    /// The JSON object. Equal traits have identical text.
    let text: [UInt8]
    /// Whether the type is an auto-renewable subscription, or nil if the type is unknown.
    private let isAutoRenewableByType: Bool?

    /// - Parameter text: the JSON object, if available.
    init(_ details: TransactionDetailsContent, text: [UInt8]? = nil) {
        productId = details.productId
        type = details.type
        quantity = details.quantity
        inAppOwnershipType = details.inAppOwnershipType
        isUpgraded = details.isUpgraded
        revocationPercentage = details.revocationPercentage
        appAccountToken = details.appAccountToken
        appTransactionId = details.appTransactionId
        hasAddedSeats = details.additionalTransactionReason == .seatAddition
        revokedSeatQuantity = details.revokedSeatQuantity
        previousOriginalTransactionId = details.previousOriginalTransactionId
        billingPlanType = details.billingPlanType
        commitmentExpiresDate = details.commitmentExpiresDate
        originalPurchaseDate = details.originalPurchaseDate
        revocationReason = details.revocationReason
        offerType = details.offerType
        offerIdentifier = details.offerIdentifier
        offerDiscountType = details.offerDiscountType
        price = details.price
        currency = details.currency
        items = details.items
        amountProblems = details.amountProblems
        isAutoRenewableByType = Self.isAutoRenewable(details.type)
        self.text = text ?? Self.text(of: details)
    }

    private static func text(of details: TransactionDetailsContent) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.object { object in
            object.set("productId", details.productId)
            object.set("type", details.type)
            object.set("quantity", details.quantity)
            object.set("inAppOwnershipType", details.inAppOwnershipType)
            if details.isUpgraded { object.set("isUpgraded", true) }
            object.set("revocationPercentage", details.revocationPercentage)
            object.set("appAccountToken", details.appAccountToken)
            object.set("appTransactionId", details.appTransactionId)
            if details.additionalTransactionReason == .seatAddition { object.set("isSeatAddition", true) }
            object.set("revokedSeatQuantity", details.revokedSeatQuantity)
            object.set("previousOriginalTransactionId", details.previousOriginalTransactionId)
            object.set("billingPlanType", details.billingPlanType)
            object.set("commitmentExpiresDate", details.commitmentExpiresDate)
            details.writeGrantMembers(to: &object)
            details.writeItems(to: &object)
        }
        return writer.bytes
    }

    /// - Parameter element: a JSON object written by this library.
    init(_ element: JSONElement) {
        var fields = FieldReader(element)
        productId = fields.identifier("productId")
        type = fields.enumeration("type")
        quantity = fields.int32("quantity")
        inAppOwnershipType = fields.enumeration("inAppOwnershipType")
        isUpgraded = fields.bool("isUpgraded") ?? false
        revocationPercentage = fields.int32("revocationPercentage")
        appAccountToken = fields.identifier("appAccountToken")
        appTransactionId = fields.identifier("appTransactionId")
        hasAddedSeats = fields.bool("isSeatAddition") ?? false
        revokedSeatQuantity = fields.int32("revokedSeatQuantity")
        previousOriginalTransactionId = fields.identifier("previousOriginalTransactionId")
        billingPlanType = fields.enumeration("billingPlanType")
        commitmentExpiresDate = fields.instant("commitmentExpiresDate")
        originalPurchaseDate = fields.instant("originalPurchaseDate")
        revocationReason = fields.enumeration("revocationReason")
        offerType = fields.enumeration("offerType")
        offerIdentifier = fields.string("offerIdentifier")
        offerDiscountType = fields.enumeration("offerDiscountType")
        price = fields.int64("price")
        currency = fields.string("currency")
        (items, amountProblems) = TransactionDetailsContent.items(&fields)
        text = Array(element.bytes)
        isAutoRenewableByType = Self.isAutoRenewable(type)
    }

    /// These traits without the mark that the transaction was upgraded.
    var withoutUpgrade: TransactionTraits {
        guard let document = try? JSONDocument(text) else { return self }
        var object = JSONObject(document.root)
        object["isUpgraded"] = nil
        return (try? JSONDocument(JSONValue.object(object).json)).map { TransactionTraits($0.root) } ?? self
    }

    /// Returns whether the transaction is a period of an auto-renewable subscription. If the type is unknown, the
    /// presence of an expiry date decides.
    func isAutoRenewable(hasExpiry: Bool) -> Bool { isAutoRenewableByType ?? hasExpiry }

    private static func isAutoRenewable(_ type: ProductType?) -> Bool? {
        if type == .autoRenewableSubscription { return true }
        return type.flatMap { $0.isKnown ? false : nil }
    }
}

extension TransactionTraits: Hashable {
    package static func == (one: TransactionTraits, other: TransactionTraits) -> Bool {
        one === other || one.text == other.text
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
