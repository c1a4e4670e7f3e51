package import AppStoreModel
internal import JSON

/// All members of one of Apple's statements about a transaction. They are stored only for the newest statement about
/// the purchase; for other transactions, only ``TransactionFacts`` are stored.
///
/// The content is stored as text, because merging reads only the version and few readers need the content.
package struct TransactionDetails: VersionedFacts {
    package let version: FactVersion
    /// Whether the details contain a billing period number within a commitment, the only member that most answers need.
    let hasBillingPeriod: Bool
    private let storage: LazyContent<TransactionDetailsContent?>

    /// The parsed content, or nil if the text is malformed because another program wrote it.
    package var content: TransactionDetailsContent? {
        storage.box { $0.flatMap(TransactionDetailsContent.init) }.content
    }

    /// The JSON object.
    private var text: ArraySlice<UInt8> { storage.text ?? [] }

    package init(_ content: TransactionDetailsContent) { self.init(content, text: nil) }

    /// - Parameter text: the JSON object, if available.
    init(_ content: TransactionDetailsContent, text: [UInt8]?) {
        version = content.version
        hasBillingPeriod = content.billingPeriodNumber != nil
        if let text {
            storage = LazyContent(unread: text[...])
        } else {
            storage = LazyContent(content, text: JSONWriter.text { $0.object { content.write(to: &$0) } }[...])
        }
    }

    /// Returns nil if there is no signedDate.
    init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let version = fields.version() else { return nil }
        self.version = version
        hasBillingPeriod = fields.element("billingPeriodNumber") != nil
        storage = LazyContent(unread: element.bytes)
    }

    func writeObject(to writer: inout JSONWriter) { writer.text(text) }

    package static func == (one: TransactionDetails, other: TransactionDetails) -> Bool {
        one.storage === other.storage || one.version == other.version && one.text == other.text
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// The content of ``TransactionDetails``.
package struct TransactionDetailsContent: Hashable, Sendable {
    package var transactionId: TransactionId
    package var version: FactVersion
    package var productId: ProductId?
    package var type: ProductType?
    package var subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    package var purchaseDate: AppStoreInstant?
    package var originalPurchaseDate: AppStoreInstant?
    package var expiresDate: AppStoreInstant?
    /// The quantity (at least 1), or nil if Apple sent none or one out of range (see `amountProblems`).
    package var quantity: Int32?
    package var inAppOwnershipType: InAppOwnershipType?
    package var isUpgraded = false
    package var revocationDate: AppStoreInstant?
    package var revocationReason: RevocationReason?
    package var revocationType: RevocationType?
    /// The revoked share in thousandths of a percent (0 to 100000).
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
    package var billingPlanType: BillingPlanType?
    /// The number of this period within a commitment, starting at 1.
    package var billingPeriodNumber: Int32?
    package var commitmentExpiresDate: AppStoreInstant?
    /// The price in milliunits of the currency.
    package var price: Int64?
    package var currency: String?
    package var storefront: String?
    package var items: [TransactionTraits.Item] = []
    package var amountProblems: [TransactionTraits.AmountProblem] = []

    package init(transactionId: TransactionId, version: FactVersion) {
        self.transactionId = transactionId
        self.version = version
    }
}

// MARK: From Apple's payload

extension TransactionDetailsContent {
    /// Creates the content from Apple's payload. The version contains the signedDate of the transaction, or that of
    /// `fallback` if the transaction has none. Returns nil if there is no transactionId.
    init?(_ payload: TransactionPayload, fallback: FactVersion) {
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
        offerIdentifier = payload.offerIdentifier.flatMap(FactsBounds.text)
        offerDiscountType = payload.offerDiscountType
        transactionReason = payload.transactionReason
        additionalTransactionReason = payload.additionalTransactionReason
        revokedSeatQuantity = payload.multiSeatInfo?.revokedSeatQuantity
        previousOriginalTransactionId = payload.previousOriginalTransactionId
        billingPlanType = payload.billingPlanType
        billingPeriodNumber = payload.commitmentInfo?.billingPeriodNumber
        commitmentExpiresDate = payload.commitmentInfo?.commitmentExpiresDate
        price = payload.price
        currency = payload.currency.flatMap(FactsBounds.text)
        storefront = payload.storefront.flatMap(FactsBounds.text)
        readAmounts(payload)
        readItems(payload)
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

    /// Reads as many items as the limits allow.
    private mutating func readItems(_ payload: TransactionPayload) {
        var bytes = 0
        for item in payload.advancedCommerceInfo?.items ?? [] {
            guard let sku = item.sku else { continue }
            bytes += sku.utf8.count
            guard items.count < FactsBounds.items, bytes <= FactsBounds.itemBytes else {
                amountProblems.append(.items)
                return
            }
            items.append(TransactionTraits.Item(sku: sku, revocationDate: item.revocationDate))
        }
    }
}

// MARK: JSON

extension TransactionDetailsContent {
    fileprivate func write(to object: inout JSONWriter) {
        object.set("transactionId", transactionId)
        object.set("productId", productId)
        object.set("type", type)
        object.set("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
        object.set("purchaseDate", purchaseDate)
        object.set("expiresDate", expiresDate)
        object.set("quantity", quantity)
        object.set("inAppOwnershipType", inAppOwnershipType)
        if isUpgraded { object.set("isUpgraded", true) }
        object.set("revocationDate", revocationDate)
        object.set("revocationType", revocationType)
        object.set("revocationPercentage", revocationPercentage)
        object.set("appAccountToken", appAccountToken)
        object.set("appTransactionId", appTransactionId)
        object.set("transactionReason", transactionReason)
        object.set("additionalTransactionReason", additionalTransactionReason)
        object.set("revokedSeatQuantity", revokedSeatQuantity)
        object.set("previousOriginalTransactionId", previousOriginalTransactionId)
        object.set("billingPlanType", billingPlanType)
        object.set("billingPeriodNumber", billingPeriodNumber)
        object.set("commitmentExpiresDate", commitmentExpiresDate)
        object.set("storefront", storefront)
        writeGrantMembers(to: &object)
        writeItems(to: &object)
        object.set(version)
    }

    /// Writes the members that are used in grants but do not affect access. They are also in ``TransactionTraits``.
    func writeGrantMembers(to object: inout JSONWriter) {
        object.set("originalPurchaseDate", originalPurchaseDate)
        object.set("revocationReason", revocationReason)
        object.set("offerType", offerType)
        object.set("offerIdentifier", offerIdentifier)
        object.set("offerDiscountType", offerDiscountType)
        object.set("price", price)
        object.set("currency", currency)
    }

    /// Writes the items and amount problems, which are also in ``TransactionTraits``.
    func writeItems(to object: inout JSONWriter) {
        if !items.isEmpty {
            object.array("items") { array in for item in items { array.object { item.write(to: &$0) } } }
        }
        if !amountProblems.isEmpty {
            object.array("amountProblems") { for problem in amountProblems { $0.string(problem.rawValue) } }
        }
    }

    static func items(
        _ fields: inout FieldReader
    ) -> (items: [TransactionTraits.Item], problems: [TransactionTraits.AmountProblem]) {
        (
            fields.objects("items").compactMap(TransactionTraits.Item.init),
            (fields.strings("amountProblems") ?? []).compactMap(TransactionTraits.AmountProblem.init)
        )
    }

    /// Returns nil if there is no transactionId or no signedDate.
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
        billingPlanType = fields.enumeration("billingPlanType")
        billingPeriodNumber = fields.int32("billingPeriodNumber")
        commitmentExpiresDate = fields.instant("commitmentExpiresDate")
        price = fields.int64("price")
        currency = fields.string("currency")
        storefront = fields.string("storefront")
        (items, amountProblems) = Self.items(&fields)
    }
}

extension TransactionTraits.Item {
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
