package import AppStoreModel
package import JSON

/// What Apple last said about one transaction. A newer statement replaces it as a whole, so that a revocation which is
/// absent from a newer one is thereby removed: that is how a reversed refund arrives.
package typealias TransactionFacts = Facts<TransactionContent>

/// What a ``TransactionFacts`` says.
package struct TransactionContent: FactsContent {
    /// An amount that is out of range: the transaction then gives no credit.
    package enum AmountProblem: String, Sendable, CaseIterable {
        /// Not a whole number from 1 to 2^31 - 1.
        case quantity
        /// Not a whole number from 0 to 100000.
        case revocationPercentage
    }

    /// One item of an Advanced Commerce transaction.
    package struct Item: Hashable, Sendable {
        package var sku: String
        package var revocationDate: AppStoreInstant?
    }

    package var transactionId: TransactionId
    package var version: FactVersion
    package var productId: ProductId?
    package var type: ProductType?
    package var subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    package var purchaseDate: AppStoreInstant?
    package var originalPurchaseDate: AppStoreInstant?
    package var expiresDate: AppStoreInstant?
    /// 1 or more; nil where Apple sent none or one out of range (see `amountProblems`).
    package var quantity: Int32?
    package var inAppOwnershipType: InAppOwnershipType?
    /// Apple's own word; see ``PurchaseFacts/isUpgraded(_:)`` for what follows from other transactions.
    package var isUpgraded = false
    package var revocationDate: AppStoreInstant?
    package var revocationReason: RevocationReason?
    package var revocationType: RevocationType?
    /// Milliunits of a percent, 0 to 100000.
    package var revocationPercentage: Int32?
    package var appAccountToken: AppAccountToken?
    package var appTransactionId: AppTransactionId?
    package var offerType: OfferType?
    package var offerIdentifier: String?
    package var offerDiscountType: OfferDiscountType?
    package var transactionReason: TransactionReason?
    package var additionalTransactionReason: AdditionalTransactionReason?
    package var revokedSeatQuantity: Int32?
    package var previousOriginalTransactionId: OriginalTransactionId?
    /// Milliunits of the currency.
    package var price: Int64?
    package var currency: String?
    package var storefront: String?
    package var items: [Item] = []
    package var amountProblems: [AmountProblem] = []
    /// Members written by a later version of this library.
    package var unknownFields = JSONObject()

    package init(transactionId: TransactionId, version: FactVersion) {
        self.transactionId = transactionId
        self.version = version
    }

    /// When the holder got it; the original transaction where only that is known.
    package var start: AppStoreInstant { purchaseDate ?? originalPurchaseDate ?? .earliest }

    /// Whether it is a period of a subscription that renews by itself. Without a known type an expiry decides.
    package var isAutoRenewable: Bool {
        if type == .autoRenewableSubscription { return true }
        if let type, type.isKnown { return false }
        return expiresDate != nil
    }

    /// Seats that were added to a period; such a transaction replaces no other.
    package var isSeatAddition: Bool { additionalTransactionReason == .seatAddition }

    func isRevoked(at instant: AppStoreInstant) -> Bool { revocationDate.map { $0 <= instant } ?? false }
}

extension TransactionFacts {
    package init(transactionId: TransactionId, version: FactVersion) {
        self.init(TransactionContent(transactionId: transactionId, version: version))
    }

    package func isRevoked(at instant: AppStoreInstant) -> Bool { content.isRevoked(at: instant) }
}

// MARK: From Apple's payload

extension TransactionFacts {
    /// - Parameter version: decides by the transaction's own signedDate; `fallback` names what came with it.
    /// Nil without a transactionId.
    package init?(_ payload: TransactionPayload, fallback: FactVersion) {
        guard let content = TransactionContent(payload, fallback: fallback) else { return nil }
        self = Facts(content).written
    }

    /// - Parameter keepsText: the text is one that this library wrote.
    init?(_ element: JSONElement, keepsText: Bool) {
        guard let content = TransactionContent(element) else { return nil }
        self.init(content, text: keepsText ? element.bytes : nil)
    }
}

extension TransactionContent {
    fileprivate init?(_ payload: TransactionPayload, fallback: FactVersion) {
        guard let transactionId = payload.transactionId else { return nil }
        var version = fallback
        if let signedDate = payload.signedDate { version.signedDate = signedDate }
        self.init(transactionId: transactionId, version: version)
        productId = payload.productId
        type = payload.type
        subscriptionGroupIdentifier = payload.subscriptionGroupIdentifier
        purchaseDate = payload.purchaseDate
        originalPurchaseDate = payload.originalPurchaseDate
        expiresDate = payload.expiresDate
        inAppOwnershipType = payload.inAppOwnershipType
        isUpgraded = payload.isUpgraded ?? false
        revocationDate = payload.revocationDate
        revocationReason = payload.revocationReason
        revocationType = payload.revocationType
        appAccountToken = payload.appAccountToken
        appTransactionId = payload.appTransactionId
        offerType = payload.offerType
        offerIdentifier = payload.offerIdentifier
        offerDiscountType = payload.offerDiscountType
        transactionReason = payload.transactionReason
        additionalTransactionReason = payload.additionalTransactionReason
        revokedSeatQuantity = payload.multiSeatInfo?.revokedSeatQuantity
        previousOriginalTransactionId = payload.previousOriginalTransactionId
        price = payload.price
        currency = payload.currency
        storefront = payload.storefront
        items = (payload.advancedCommerceInfo?.items ?? []).compactMap { item in
            item.sku.map { Item(sku: $0, revocationDate: item.revocationDate) }
        }
        readAmounts(payload)
    }

    private mutating func readAmounts(_ payload: TransactionPayload) {
        func isUnreadable(_ name: String) -> Bool { payload.fieldProblems.contains { $0.path == name } }
        if let value = payload.quantity, value >= 1 {
            quantity = value
        } else if payload.quantity != nil || isUnreadable("quantity") {
            amountProblems.append(.quantity)
        }
        if let value = payload.revocationPercentage, (0...100_000).contains(value) {
            revocationPercentage = value
        } else if payload.revocationPercentage != nil || isUnreadable("revocationPercentage") {
            amountProblems.append(.revocationPercentage)
        }
    }
}

// MARK: JSON

extension TransactionContent {
    package func write(to object: inout JSONWriter) {
        object.set("transactionId", transactionId)
        object.set("productId", productId)
        object.set("type", type)
        object.set("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
        object.set("purchaseDate", purchaseDate)
        object.set("originalPurchaseDate", originalPurchaseDate)
        object.set("expiresDate", expiresDate)
        object.set("quantity", quantity)
        object.set("inAppOwnershipType", inAppOwnershipType)
        if isUpgraded { object.set("isUpgraded", true) }
        object.set("revocationDate", revocationDate)
        object.set("revocationReason", revocationReason)
        object.set("revocationType", revocationType)
        object.set("revocationPercentage", revocationPercentage)
        object.set("appAccountToken", appAccountToken)
        object.set("appTransactionId", appTransactionId)
        object.set("offerType", offerType)
        object.set("offerIdentifier", offerIdentifier)
        object.set("offerDiscountType", offerDiscountType)
        object.set("transactionReason", transactionReason)
        object.set("additionalTransactionReason", additionalTransactionReason)
        object.set("revokedSeatQuantity", revokedSeatQuantity)
        object.set("previousOriginalTransactionId", previousOriginalTransactionId)
        object.set("price", price)
        object.set("currency", currency)
        object.set("storefront", storefront)
        if !items.isEmpty {
            object.array("items") { array in for item in items { array.object { item.write(to: &$0) } } }
        }
        if !amountProblems.isEmpty {
            object.array("amountProblems") { for problem in amountProblems { $0.string(problem.rawValue) } }
        }
        object.set(version)
        object.add(unknownFields)
    }

    /// Nil without a transactionId or a signedDate.
    fileprivate init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let transactionId: TransactionId = fields.identifier("transactionId"), let version = fields.version()
        else { return nil }
        self.init(transactionId: transactionId, version: version)
        productId = fields.identifier("productId")
        type = fields.enumeration("type")
        subscriptionGroupIdentifier = fields.identifier("subscriptionGroupIdentifier")
        purchaseDate = fields.instant("purchaseDate")
        originalPurchaseDate = fields.instant("originalPurchaseDate")
        expiresDate = fields.instant("expiresDate")
        quantity = fields.int32("quantity")
        inAppOwnershipType = fields.enumeration("inAppOwnershipType")
        isUpgraded = fields.bool("isUpgraded") ?? false
        revocationDate = fields.instant("revocationDate")
        revocationReason = fields.enumeration("revocationReason")
        revocationType = fields.enumeration("revocationType")
        revocationPercentage = fields.int32("revocationPercentage")
        appAccountToken = fields.identifier("appAccountToken")
        appTransactionId = fields.identifier("appTransactionId")
        offerType = fields.enumeration("offerType")
        offerIdentifier = fields.string("offerIdentifier")
        offerDiscountType = fields.enumeration("offerDiscountType")
        transactionReason = fields.enumeration("transactionReason")
        additionalTransactionReason = fields.enumeration("additionalTransactionReason")
        revokedSeatQuantity = fields.int32("revokedSeatQuantity")
        previousOriginalTransactionId = fields.identifier("previousOriginalTransactionId")
        price = fields.int64("price")
        currency = fields.string("currency")
        storefront = fields.string("storefront")
        items = fields.objects("items").compactMap(Item.init)
        amountProblems = (fields.strings("amountProblems") ?? []).compactMap(AmountProblem.init)
        unknownFields = fields.unknownFields
    }
}

extension TransactionContent.Item {
    fileprivate func write(to object: inout JSONWriter) {
        object.set("SKU", sku)
        object.set("revocationDate", revocationDate)
    }

    fileprivate init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let sku = fields.string("SKU") else { return nil }
        self.init(sku: sku, revocationDate: fields.instant("revocationDate"))
    }
}
