extension RefundFacts {
    /// Creates the facts of a round for the rules and the company's service.
    ///
    /// The customer's history is not included; the caller adds it.
    package init(_ refund: RefundCase, _ round: RefundRound) {
        let transaction = refund.transaction
        self.init(
            environment: refund.environment, bundleId: refund.bundleId, transactionId: refund.transactionId,
            requestedAt: round.receivedAt ?? round.openedAt,
            isAdvancedCommerce: transaction?.isAdvancedCommerce ?? false)
        originalTransactionId = transaction?.originalTransactionId
        appTransactionId = transaction?.appTransactionId
        appAccountToken = transaction?.appAccountToken
        productId = transaction?.productId
        productType = transaction?.type
        price = transaction?.price
        currency = transaction?.currency
        quantity = transaction?.quantity
        purchaseDate = transaction?.purchaseDate
        expiresDate = transaction?.expiresDate
        inAppOwnershipType = transaction?.inAppOwnershipType
        storefront = transaction?.storefront
        offerType = transaction?.offerType
        offerDiscountType = transaction?.offerDiscountType
        transactionReason = transaction?.transactionReason
        consumptionRequestReason = round.reason
        deadline = round.answerableUntil
        self.round = Int64(round.number)
        earlierRequestsOfTransaction = Int64(round.number - 1)
    }
}
