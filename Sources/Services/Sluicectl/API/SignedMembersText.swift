internal import AppStoreModel
internal import CommandLine
internal import JSON

/// Formats the members of Apple-signed objects as text.
enum SignedMembersText {
    /// Formats one line per member, in Apple's order; nested values become compact JSON.
    static func lines(_ object: JSONObject) -> String {
        PlainText.table(object.members.map { [PlainText.printable($0.name), value($0.value, of: $0.name)] })
    }

    static func transactions(_ transactions: [JSONObject]) -> String {
        table(
            transactions,
            [
                ("PURCHASED", "purchaseDate"), ("TRANSACTION", "transactionId"), ("PURCHASE", "originalTransactionId"),
                ("PRODUCT", "productId"), ("TYPE", "type"), ("EXPIRES", "expiresDate"), ("REVOKED", "revocationDate"),
            ])
    }

    static func refunds(_ transactions: [JSONObject]) -> String {
        table(
            transactions,
            [
                ("REFUNDED", "revocationDate"), ("TRANSACTION", "transactionId"), ("PRODUCT", "productId"),
                ("TYPE", "revocationType"), ("PERCENTAGE", "revocationPercentage"), ("REASON", "revocationReason"),
                ("PURCHASED", "purchaseDate"),
            ])
    }

    static func subscriptions(_ subscriptions: [JSONObject]) -> String {
        guard !subscriptions.isEmpty else { return "none\n" }
        let rows = subscriptions.map { subscription in
            let transaction = subscription["transaction"]?.object ?? [:]
            let renewalInfo = subscription["renewalInfo"]?.object ?? [:]
            return [
                status(subscription["status"]), JSONCells.cell(transaction["originalTransactionId"]),
                JSONCells.cell(transaction["productId"]), JSONCells.instant(transaction["expiresDate"]) ?? "-",
                renews(renewalInfo["autoRenewStatus"]), JSONCells.cell(renewalInfo["autoRenewProductId"]),
                JSONCells.cell(subscription["subscriptionGroupIdentifier"]),
            ]
        }
        return PlainText.table(
            [["STATUS", "PURCHASE", "PRODUCT", "EXPIRES", "RENEWS", "RENEWS TO", "GROUP"]] + rows)
    }

    private static func table(_ objects: [JSONObject], _ columns: [(title: String, name: String)]) -> String {
        guard !objects.isEmpty else { return "none\n" }
        return PlainText.table(
            [columns.map(\.title)] + objects.map { object in columns.map { value(object[$0.name], of: $0.name) } })
    }

    /// Formats a value: numeric dates as dates, nested values as compact JSON.
    private static func value(_ value: JSONValue?, of name: String) -> String {
        if name.hasSuffix("Date"), let instant = JSONCells.instant(value) { return instant }
        switch value {
        case .array, .object: return PlainText.printable(String(decoding: value?.json ?? [], as: UTF8.self))
        default: return JSONCells.cell(value)
        }
    }

    private static func status(_ value: JSONValue?) -> String {
        switch value?.integer.map({ SubscriptionStatus(Int32(truncatingIfNeeded: $0)) }) {
        case .active?: "active"
        case .expired?: "expired"
        case .billingRetry?: "billing retry"
        case .billingGracePeriod?: "grace period"
        case .revoked?: "revoked"
        default: JSONCells.cell(value)
        }
    }

    private static func renews(_ value: JSONValue?) -> String {
        switch value?.integer {
        case 0: "no"
        case 1: "yes"
        default: JSONCells.cell(value)
        }
    }
}
