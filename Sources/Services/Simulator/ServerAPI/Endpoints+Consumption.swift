internal import AppStoreModel
internal import JSON

// Endpoints for consumption information.
extension ServerAPIEnvironment {
    func consumption(_ id: String, _ input: Input) throws(ServerAPIError) -> Outcome {
        try checkConsumptionId(id)
        let information = try ConsumptionRequestRules.read(input.body)
        try ConsumptionRequestRules.check(information, of: try consumptionTransaction(id))
        return Outcome(status: 202, information: information)
    }

    func consumptionV1(_ id: String, _ input: Input) throws(ServerAPIError) -> Outcome {
        try checkConsumptionId(id)
        let information = try ConsumptionRequestV1Rules.read(input.body)
        try ConsumptionRequestV1Rules.check(try consumptionTransaction(id))
        return Outcome(status: 202, information: information)
    }

    /// Checks a transaction id. If unknown transactions are accepted, the id need not be numeric, because tests that
    /// register no transactions use their own ids.
    private func checkConsumptionId(_ id: String) throws(ServerAPIError) {
        if acceptsUnknownTransactions, TransactionId(id).isBounded, !id.hasPrefix(Self.errorIdPrefix) { return }
        try Self.checkId(id, otherwise: .invalidTransactionId)
    }

    private func consumptionTransaction(_ id: String) throws(ServerAPIError) -> ConsumptionTransaction {
        if let known = store.transactions[id] { return ConsumptionTransaction(known.payload) }
        // An id that is registered, but neither as a transaction nor as a purchase, belongs to a customer.
        if store.customerOfId[id] != nil, store.purchases[id] == nil { throw .appTransactionIdNotSupported }
        guard acceptsUnknownTransactions else { throw .transactionIdNotFound }
        return .unknown
    }
}
