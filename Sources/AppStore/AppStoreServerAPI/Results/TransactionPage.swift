package import AppStoreVerification

/// The verified transactions in one response, in Apple's order.
package struct TransactionPage: Sendable {
    package let transactions: [VerifiedTransaction]
    /// The rejected objects in the response.
    package let refused: [RefusedObject]
    /// The cursor for the next page. It is present even on the last page, because a later request with this cursor
    /// returns the changes since this page.
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

/// The result of Look Up Order ID.
package struct OrderLookup: Sendable {
    /// The status. An order from a different app has the status `invalid`, which is not an error.
    package let status: OrderLookupStatus
    package let transactions: [VerifiedTransaction]
    package let refused: [RefusedObject]
}
