internal import AppStoreModel
package import JSON

extension EntitlementAnswer {
    /// Writes the members of the answer: `asOf`, `active` (sorted), `grants` (grants in effect), `inactive` (all other
    /// grants), `balances`, `reports`, `nextChange`, `knownSince`. Empty lists are omitted, except `active` and
    /// `grants`.
    package func write(to object: inout JSONWriter) {
        object.set("asOf", asOf)
        writeTimeless(to: &object)
    }

    /// Writes the members of the answer except `asOf`, so that the bytes change only if the answer does.
    package func writeTimeless(to object: inout JSONWriter) {
        object.array("active") { array in
            // Grants are sorted by entitlement, so comparing each one with its predecessor avoids listing an
            // entitlement twice.
            var last: String?
            for grant in grants where grant.isEntitled && grant.entitlement != last {
                array.string(grant.entitlement)
                last = grant.entitlement
            }
        }
        write(grantsThatHold: true, as: "grants", to: &object)
        if grants.contains(where: { !$0.isEntitled }) { write(grantsThatHold: false, as: "inactive", to: &object) }
        if !balances.isEmpty {
            object.array("balances") { array in for balance in balances { array.object { balance.write(to: &$0) } } }
        }
        if !reports.isEmpty {
            object.array("reports") { array in
                for report in reports {
                    array.object {
                        $0.set("environment", report.environment)
                        $0.set("bundleId", report.bundleId)
                        $0.set("transactionId", report.transactionId)
                        $0.set("problem", report.problem.rawValue)
                    }
                }
            }
        }
        object.set("nextChange", nextChange)
        object.set("knownSince", knownSince)
    }

    private func write(grantsThatHold holds: Bool, as name: StaticString, to object: inout JSONWriter) {
        object.array(name) { array in
            for grant in grants where grant.isEntitled == holds { array.object { grant.write(to: &$0) } }
        }
    }
}

extension UnitBalance {
    fileprivate func write(to object: inout JSONWriter) {
        object.set("environment", environment)
        object.set("bundleId", bundleId)
        object.set("productId", productId)
        object.set("creditedUnits", creditedUnits)
        object.set("debitedUnits", debitedUnits)
        object.set("netUnits", netUnits)
    }
}

extension EntitlementGrant {
    fileprivate func write(to object: inout JSONWriter) {
        object.set("entitlement", entitlement)
        object.set("isEntitled", isEntitled)
        object.set("state", state)
        object.set("environment", environment)
        object.set("bundleId", bundleId)
        object.set("productId", productId)
        object.set("originalTransactionId", originalTransactionId)
        object.set("transactionId", transactionId)
        object.set("inAppOwnershipType", ownership)
        details.write(to: &object)
        if isEntitled { object.set("until", until) }
        object.set("gracePeriodExpiresDate", gracePeriodExpiresDate)
        object.set("willRenew", willRenew)
        object.set("commitmentWillRenew", commitmentWillRenew)
        object.set("autoRenewProductId", autoRenewProductId)
        object.set("pendingProductId", pendingProductId)
        object.set("priceIncreaseStatus", priceIncreaseStatus)
        object.set("expirationIntent", expirationIntent)
        object.set("seats", seats)
        if let skus { object.array("skus") { for sku in skus { $0.string(sku) } } }
        if needsStatusQuery { object.set("needsStatusQuery", true) }
        if isUnknown { object.set("unknown", true) }
        if trust != .signed { object.set("trust", trust.rawValue) }
        if awaitsConfirmation { object.set("awaitsConfirmation", true) }
    }
}
