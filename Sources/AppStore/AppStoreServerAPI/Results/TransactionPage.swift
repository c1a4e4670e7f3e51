package import AppStoreVerification

/// Verified transactions of one answer, in Apple's order.
package struct TransactionPage: Sendable {
    package let transactions: [VerifiedTransaction]
    /// What the answer had besides and is not used.
    package let refused: [RefusedObject]
    /// Names what comes after this page, also when there is nothing yet: asked with it later, Apple returns what has
    /// changed since.
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

/// What Look Up Order ID found.
package struct OrderLookup: Sendable {
    /// An order of another app is `invalid`, and no error.
    package let status: OrderLookupStatus
    package let transactions: [VerifiedTransaction]
    package let refused: [RefusedObject]
}
