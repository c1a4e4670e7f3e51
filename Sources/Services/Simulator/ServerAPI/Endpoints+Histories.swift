internal import AppStoreModel
internal import JSON

// Endpoints for Get Transaction History and Get Refund History, with 20 transactions per page.
extension ServerAPIEnvironment {
    static let pageSize = 20

    func transactionHistory(_ id: String, _ input: Input) throws(ServerAPIError) -> Outcome {
        let filter = try HistoryFilter(input.query)
        let customer = try customer(of: id)
        let cursor = HistoryCursor(of: "history/\(customer)/\(filter.digest)")
        let after = try cursor.position(of: try input.query.value("revision", .invalidRequestRevision))
        var transactions = store.transactions(ofCustomer: customer).filter { filter.includes($0.payload) }
        if filter.isDescending { transactions.reverse() }
        if let after {
            transactions = transactions.filter {
                filter.isDescending ? $0.modification < after : $0.modification > after
            }
        }
        let page = transactions.prefix(Self.pageSize)
        var body = JSONObject()
        body.put("revision", cursor.revision(at: page.last?.modification ?? after ?? 0))
        body.put("hasMore", transactions.count > page.count)
        for member in app.identity.members { body[member.name] = member.value }
        body.put("signedTransactions", try page.signed(by: self, now: input.now))
        return .answer(body)
    }

    func refundHistory(_ id: String, _ input: Input) throws(ServerAPIError) -> Outcome {
        try input.query.checkNames(["revision"])
        let customer = try customer(of: id)
        let cursor = HistoryCursor(of: "refunds/\(customer)")
        let skipped = try cursor.position(of: try input.query.value("revision", .invalidRequestRevision)) ?? 0
        let refunds = store.transactions(ofCustomer: customer)
            .filter { $0.payload["revocationDate"] != nil }
            .sorted {
                ServerAPIStore.date($0.payload, "revocationDate") < ServerAPIStore.date($1.payload, "revocationDate")
            }
        let page = refunds.dropFirst(skipped).prefix(Self.pageSize)
        var body = JSONObject()
        body.put("signedTransactions", try page.signed(by: self, now: input.now))
        body.put("revision", cursor.revision(at: skipped + page.count))
        body.put("hasMore", refunds.count > skipped + page.count)
        return .answer(body)
    }
}

extension ArraySlice<ServerAPIStore.StoredTransaction> {
    fileprivate func signed(by environment: ServerAPIEnvironment, now: Int64) throws(ServerAPIError) -> [String] {
        var signed: [String] = []
        for transaction in self { signed.append(try environment.sign(transaction, now: now)) }
        return signed
    }
}
