package import AppStoreVerification

/// The verified transactions of one answer, in Apple's order.
package struct TransactionPage: Sendable {
    package let transactions: [VerifiedTransaction]
    /// The refused objects in the answer.
    package let refused: [RefusedObject]
    /// Cursor of the next page, present even after the last page: a later request with this cursor returns the changes
    /// since then.
    package let revision: String?
    package let hasMore: Bool

    package init(
        transactions: [VerifiedTransaction], refused: [RefusedObject], revision: String?, hasMore: Bool
    ) {
        self.transactions = transactions
        self.refused = refused
        self.revision = revision
        self.hasMore = hasMore
    }
}

/// Result of Look Up Order ID.
package struct OrderLookup: Sendable {
    /// The status. An order of another app has status `invalid`, which is not an error.
    package let status: OrderLookupStatus
    package let transactions: [VerifiedTransaction]
    package let refused: [RefusedObject]
}
