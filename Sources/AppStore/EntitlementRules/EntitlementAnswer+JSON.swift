package import AppStoreModel

extension EntitlementAnswer {
    /// The answer as JSON: `asOf`, `active` (sorted), `grants`, `balances`, `reports`, `nextChange`.
    package var json: JSONObject {
        var object = JSONObject()
        object.set("asOf", asOf)
        object["active"] = .array(active.sorted().map { .string($0) })
        object["grants"] = .array(grants.map { .object($0.json) })
        object.set(
            "balances",
            balances.map { balance in
                var object = JSONObject()
                object.set("productId", balance.productId)
                object.set("creditedUnits", balance.creditedUnits)
                object.set("debitedUnits", balance.debitedUnits)
                object.set("netUnits", balance.netUnits)
                return .object(object)
            })
        object.set(
            "reports",
            reports.map { report in
                ["transactionId": .string(report.transactionId.rawValue), "problem": .string(report.problem.rawValue)]
            })
        object.set("nextChange", nextChange)
        return object
    }
}

extension EntitlementGrant {
    package var json: JSONObject {
        var object = JSONObject()
        object.set("entitlement", entitlement)
        object.set("isEntitled", isEntitled)
        object.set("state", state)
        object.set("productId", productId)
        object.set("originalTransactionId", originalTransactionId)
        object.set("transactionId", transactionId)
        object.set("inAppOwnershipType", ownership)
        object.set("until", until)
        object.set("willRenew", willRenew)
        object.set("pendingProductId", pendingProductId)
        object.set("expirationIntent", expirationIntent)
        object.set("seats", seats)
        object.set("skus", skus.map { .string($0) })
        if needsStatusQuery { object.set("needsStatusQuery", true) }
        return object
    }
}
