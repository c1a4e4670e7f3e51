internal import AppStoreModel
internal import JSON
internal import Primitives

// Endpoints for single transactions and orders.
extension ServerAPIEnvironment {
    func transactionInfo(_ id: String, _ input: Input) throws(ServerAPIError) -> Outcome {
        let transaction = try transaction(id)
        var body = JSONObject()
        body.put("signedTransactionInfo", try sign(transaction, now: input.now))
        return .answer(body)
    }

    func finish(_ id: String) throws(ServerAPIError) -> Outcome {
        _ = try transaction(id)
        return .done
    }

    private func transaction(_ id: String) throws(ServerAPIError) -> ServerAPIStore.StoredTransaction {
        try Self.checkId(id, otherwise: .invalidTransactionId)
        guard let transaction = store.transactions[id] else { throw .transactionIdNotFound }
        return transaction
    }

    func appTransactionInfo(_ id: String, _ input: Input) throws(ServerAPIError) -> Outcome {
        let customer = try customer(of: id)
        let payload = store.transactions(ofCustomer: customer).last?.payload
        guard let appTransactionId = payload?["appTransactionId"]?.string else { throw .appTransactionDoesNotExist }
        let appTransaction = AppTransaction(appTransactionId: appTransactionId, applicationVersion: "42")
            .payload(app: app, receiptCreationDate: input.now)
        var body = JSONObject()
        body.put("signedAppTransactionInfo", try sign(appTransaction.bytes))
        return .answer(body)
    }

    /// Looks up an order. For an unknown order, the response has status 1 instead of an error.
    func order(_ id: String, _ input: Input) throws(ServerAPIError) -> Outcome {
        let transactions = (store.orders[id] ?? []).compactMap { store.transactions[$0] }
        var signed: [String] = []
        for transaction in transactions { signed.append(try sign(transaction, now: input.now)) }
        var body = JSONObject()
        body.put("status", signed.isEmpty ? 1 : 0 as Int64)
        body.put("signedTransactions", signed)
        return .answer(body)
    }

    mutating func setAppAccountToken(_ id: String, _ input: Input) throws(ServerAPIError) -> Outcome {
        try Self.checkId(id, otherwise: .invalidTransactionId)
        let object = try RequestBody.object(input.body, members: ["appAccountToken"], otherwise: .generalBadRequest)
        guard let token = object["appAccountToken"]?.string, UUIDBytes(text: token.utf8) != nil else {
            throw .invalidAppAccountTokenUUID
        }
        guard let transactions = store.purchases[id] else {
            throw store.transactions[id] == nil ? .transactionIdNotFound : .notOriginalTransactionId
        }
        let known = transactions.compactMap { store.transactions[$0] }.map { ConsumptionTransaction($0.payload) }
        guard !known.contains(where: \.isFamilyShared) else { throw .familyTransactionNotSupported }
        guard !known.contains(where: \.isAssigned) else { throw .assignedTransactionNotSupported }
        store.setAppAccountToken(token, of: id)
        return .done
    }
}
