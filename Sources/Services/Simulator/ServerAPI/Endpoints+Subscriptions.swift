internal import AppStoreModel
internal import JSON

// The endpoint for all of a customer's subscriptions.
extension ServerAPIEnvironment {
    func subscriptionStatuses(_ id: String, _ input: Input) throws(ServerAPIError) -> Outcome {
        try input.query.checkNames(["status"])
        var wanted: Set<Int64> = []
        for text in input.query.values("status") {
            guard let status = Int64(text), (1...5).contains(status) else { throw .invalidStatus }
            wanted.insert(status)
        }
        let customer = try customer(of: id)
        var groups: [(identifier: String, subscriptions: [JSONObject])] = []
        for original in originals(ofCustomer: customer) {
            guard let renewal = store.renewals[original], let current = store.currentTransaction(of: original) else {
                continue
            }
            let status = store.status(of: original, at: input.now)
            guard wanted.isEmpty || wanted.contains(status) else { continue }
            var subscription = JSONObject()
            subscription.put("originalTransactionId", original)
            subscription.put("status", status)
            subscription.put("signedTransactionInfo", try sign(current, now: input.now))
            subscription.put(
                "signedRenewalInfo", try sign(renewal.payload, isVerbatim: renewal.isVerbatim, now: input.now))
            let group = current.payload["subscriptionGroupIdentifier"]?.string ?? ""
            if let index = groups.firstIndex(where: { $0.identifier == group }) {
                groups[index].subscriptions.append(subscription)
            } else {
                groups.append((group, [subscription]))
            }
        }
        var body = app.identity
        body.put(
            "data",
            groups.map { identifier, subscriptions in
                var group = JSONObject()
                group.put("subscriptionGroupIdentifier", identifier)
                group.put("lastTransactions", subscriptions)
                return group
            })
        return .answer(body)
    }

    private func originals(ofCustomer customer: String) -> [String] {
        var originals: [String] = []
        for transaction in store.transactions(ofCustomer: customer) {
            guard let original = transaction.payload["originalTransactionId"]?.string, !originals.contains(original)
            else { continue }
            originals.append(original)
        }
        return originals
    }
}
