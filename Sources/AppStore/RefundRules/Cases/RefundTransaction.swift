package import AppStoreModel
package import JSON

/// The transaction of a case, according to the newest statement about it.
package struct RefundTransaction: CasePart {
    package var signedDate: AppStoreInstant
    /// Whether Apple signed the transaction. If false, it is authenticated only by a shared secret and never replaces a
    /// signed one.
    package var isSigned: Bool
    package var originalTransactionId: OriginalTransactionId?
    package var appTransactionId: AppTransactionId?
    package var appAccountToken: AppAccountToken?
    package var productId: ProductId?
    package var type: ProductType?
    package var inAppOwnershipType: InAppOwnershipType?
    package var purchaseDate: AppStoreInstant?
    package var expiresDate: AppStoreInstant?
    package var quantity: Int32?
    /// The price in milliunits of the currency, for the entire quantity.
    package var price: Int64?
    /// The ISO 4217 currency code.
    package var currency: String?
    /// The storefront as an ISO 3166-1 alpha-3 country code.
    package var storefront: String?
    package var offerType: OfferType?
    package var offerDiscountType: OfferDiscountType?
    package var transactionReason: TransactionReason?
    package var isAdvancedCommerce: Bool

    /// Returns nil if the payload has no signedDate.
    package init?(_ payload: TransactionPayload, isSigned: Bool = true) {
        guard let signedDate = payload.signedDate else { return nil }
        self.signedDate = signedDate
        self.isSigned = isSigned
        originalTransactionId = payload.originalTransactionId
        appTransactionId = payload.appTransactionId
        appAccountToken = payload.appAccountToken
        productId = payload.productId
        type = payload.type
        inAppOwnershipType = payload.inAppOwnershipType
        purchaseDate = payload.purchaseDate
        expiresDate = payload.expiresDate
        quantity = payload.quantity
        price = payload.price
        currency = payload.currency
        storefront = payload.storefront
        offerType = payload.offerType
        offerDiscountType = payload.offerDiscountType
        transactionReason = payload.transactionReason
        isAdvancedCommerce = payload.advancedCommerceInfo != nil
    }

    package var rank: [Int64] { [isSigned ? 1 : 0, signedDate.millisecondsSince1970] }

    /// Whether all strings meet the requirements of ``BoundedText``.
    var isBounded: Bool {
        let texts = [
            originalTransactionId?.rawValue, appTransactionId?.rawValue, appAccountToken?.rawValue,
            productId?.rawValue, type?.rawValue, inAppOwnershipType?.rawValue, currency, storefront,
            offerDiscountType?.rawValue, transactionReason?.rawValue,
        ]
        return texts.allSatisfy { $0.map(BoundedText.accepts) ?? true }
    }

    /// Removes personal data, including the purchased product.
    package mutating func erase() {
        originalTransactionId = nil
        appTransactionId = nil
        appAccountToken = nil
        productId = nil
        purchaseDate = nil
        expiresDate = nil
        quantity = nil
        price = nil
        currency = nil
        storefront = nil
        offerType = nil
        offerDiscountType = nil
        transactionReason = nil
    }

    package func write(to object: inout JSONWriter) {
        object.set("signedDate", signedDate)
        if !isSigned { object.set("trust", RefundCase.sharedSecret) }
        object.set("originalTransactionId", originalTransactionId)
        object.set("appTransactionId", appTransactionId)
        object.set("appAccountToken", appAccountToken)
        object.set("productId", productId)
        object.set("type", type?.rawValue)
        object.set("inAppOwnershipType", inAppOwnershipType?.rawValue)
        object.set("purchaseDate", purchaseDate)
        object.set("expiresDate", expiresDate)
        object.set("quantity", quantity)
        object.set("price", price)
        object.set("currency", currency)
        object.set("storefront", storefront)
        object.set("offerType", offerType?.rawValue)
        object.set("offerDiscountType", offerDiscountType?.rawValue)
        object.set("transactionReason", transactionReason?.rawValue)
        if isAdvancedCommerce { object.set("advancedCommerce", true) }
    }

    package init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let signedDate = fields.instant("signedDate") else { return nil }
        self.signedDate = signedDate
        isSigned = fields.string("trust") != RefundCase.sharedSecret
        originalTransactionId = fields.identifier("originalTransactionId")
        appTransactionId = fields.identifier("appTransactionId")
        appAccountToken = fields.identifier("appAccountToken")
        productId = fields.identifier("productId")
        type = fields.enumeration("type")
        inAppOwnershipType = fields.enumeration("inAppOwnershipType")
        purchaseDate = fields.instant("purchaseDate")
        expiresDate = fields.instant("expiresDate")
        quantity = fields.int32("quantity")
        price = fields.int64("price")
        currency = fields.string("currency")
        storefront = fields.string("storefront")
        offerType = fields.enumeration("offerType")
        offerDiscountType = fields.enumeration("offerDiscountType")
        transactionReason = fields.enumeration("transactionReason")
        isAdvancedCommerce = fields.bool("advancedCommerce") ?? false
    }
}
