internal import AppStoreModel
internal import JSON

/// One transaction in a receipt, with the fields needed to find the subject of a notification.
struct ReceiptTransaction: Sendable {
    private(set) var object: LegacyObject
    let transactionId: TransactionId
    let originalTransactionId: OriginalTransactionId
    let purchaseDate: AppStoreInstant?
    let expiresDate: AppStoreInstant?
    /// The date of a refund, revocation or replacement by an upgrade.
    let cancellationDate: AppStoreInstant?
    let isUpgraded: Bool

    /// Returns nil if the object has no transaction ID, or has no original transaction ID and `fallback` is nil.
    init?(_ element: JSONElement, of fallback: OriginalTransactionId? = nil) throws(LegacyError) {
        var object = LegacyObject(element)
        let originalTransactionId: OriginalTransactionId? = try object.number("original_transaction_id")
        guard let transactionId: TransactionId = try object.number("transaction_id"),
            let originalTransactionId = originalTransactionId ?? fallback
        else { return nil }
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
        purchaseDate = object.date(.purchase)
        expiresDate = object.date(.expires)
        cancellationDate = object.date(.cancellation)
        isUpgraded = object.flag("is_upgraded") == true
        self.object = object
    }

    /// The end of the period. A refund or revocation ends the period early; an upgrade does not.
    var end: AppStoreInstant? {
        guard let cancellationDate, !isUpgraded else { return expiresDate }
        return expiresDate.map { min($0, cancellationDate) } ?? cancellationDate
    }

    /// Returns whether this transaction's purchase date is before `other`'s or, if the two are equal, whether this
    /// transaction expires first.
    func isBought(before other: ReceiptTransaction) -> Bool {
        (purchaseDate ?? .earliest, expiresDate ?? .earliest)
            < (other.purchaseDate ?? .earliest, other.expiresDate ?? .earliest)
    }

    /// Returns whether this transaction was cancelled before `other` or, if both were cancelled at the same time,
    /// whether its purchase comes first. Transactions that were not cancelled sort first.
    func isCancelled(before other: ReceiptTransaction) -> Bool {
        let (one, another) = (cancellationDate ?? .earliest, other.cancellationDate ?? .earliest)
        return one == another ? isBought(before: other) : one < another
    }

    func webOrderLineItemId() throws(LegacyError) -> WebOrderLineItemId? {
        try object.identifier("web_order_line_item_id")
    }

    func productId() throws(LegacyError) -> ProductId? { try object.identifier("product_id") }

    func subscriptionGroupIdentifier() throws(LegacyError) -> SubscriptionGroupIdentifier? {
        try object.identifier("subscription_group_identifier")
    }
}
