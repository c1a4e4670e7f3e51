internal import AppStoreModel
internal import JSON

/// The transaction that a body is about. The body does not identify it, so it must be found in the receipt.
struct LegacySubject: Sendable {
    let transaction: ReceiptTransaction
    /// All transactions of the purchase, including the subject.
    let purchase: [ReceiptTransaction]

    /// Finds the subject, or returns nil if there is none. If the body names a purchase, only that purchase is
    /// searched. Otherwise, two purchases are searched, in this order: the one that renews as the body's
    /// `auto_renew_product_id` (the newest if there are several), and the one with the newest transaction or, for
    /// cancellations, with the last cancelled transaction.
    ///
    /// For CANCEL, REFUND and REVOKE, the subject is the transaction with the `web_order_line_item_id` from the body,
    /// if the body or the receipt contains the date of its cancellation. Otherwise, it is the purchase's last cancelled
    /// transaction. For other types, it is the purchase's last transaction.
    static func find(_ statement: LegacyStatement, in receipt: LegacyReceipt) throws(LegacyError) -> LegacySubject? {
        if let originalTransactionId = statement.originalTransactionId {
            return try subject(of: originalTransactionId, statement, in: receipt)
        }
        let candidates = [
            try purchase(renewingAs: statement.autoRenewProductId, in: receipt),
            newest(of: receipt.transactions, statement.type)?.originalTransactionId,
        ]
        for case let candidate? in candidates {
            if let subject = try subject(of: candidate, statement, in: receipt) { return subject }
        }
        return nil
    }

    private static func purchase(
        renewingAs productId: ProductId?, in receipt: LegacyReceipt
    ) throws(LegacyError) -> OriginalTransactionId? {
        guard let productId else { return nil }
        var purchases: Set<OriginalTransactionId> = []
        for renewal in receipt.renewals {
            guard try renewal.identifier("auto_renew_product_id") == productId else { continue }
            if let id: OriginalTransactionId = try renewal.number("original_transaction_id") { purchases.insert(id) }
        }
        guard purchases.count > 1 else { return purchases.first }
        return receipt.transactions.filter { purchases.contains($0.originalTransactionId) }
            .max { $0.isBought(before: $1) }?.originalTransactionId
    }

    private static func subject(
        of originalTransactionId: OriginalTransactionId, _ statement: LegacyStatement, in receipt: LegacyReceipt
    ) throws(LegacyError) -> LegacySubject? {
        let purchase = receipt.transactions.filter { $0.originalTransactionId == originalTransactionId }
        if statement.type.isAboutCancellation, let webOrderLineItemId = statement.webOrderLineItemId {
            for transaction in purchase where transaction.cancellationDate ?? statement.cancellationDate != nil {
                guard try transaction.webOrderLineItemId() == webOrderLineItemId else { continue }
                return LegacySubject(transaction: transaction, purchase: purchase)
            }
        }
        if let newest = newest(of: purchase, statement.type) {
            return LegacySubject(transaction: newest, purchase: purchase)
        }
        // The notification is about a cancellation that is missing from the receipt, so the body must contain its date.
        guard statement.cancellationDate != nil else { return nil }
        // Only in the oldest format is a receipt about a single subscription, and the body about its latest period.
        guard statement.source == .v0 else { return nil }
        return purchase.max { $0.isBought(before: $1) }
            .map { LegacySubject(transaction: $0, purchase: purchase) }
    }

    private static func newest(of transactions: [ReceiptTransaction], _ type: LegacyType) -> ReceiptTransaction? {
        guard type.isAboutCancellation else { return transactions.max { $0.isBought(before: $1) } }
        return transactions.filter { $0.cancellationDate != nil }.max { $0.isCancelled(before: $1) }
    }

    /// The purchase's last transaction made before the subject.
    var previous: ReceiptTransaction? {
        purchase.filter { $0.transactionId != transaction.transactionId && $0.isBought(before: transaction) }
            .max { $0.isBought(before: $1) }
    }
}
