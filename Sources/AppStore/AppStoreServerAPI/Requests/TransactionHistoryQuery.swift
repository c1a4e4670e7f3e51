package import AppStoreModel

/// The filter for a transaction history, the same for every page. Apple: Get Transaction History.
package struct TransactionHistoryQuery: Sendable, Hashable {
    /// The earliest purchase date of the returned transactions (inclusive).
    package var startDate: AppStoreInstant?
    /// The latest purchase date of the returned transactions (exclusive).
    package var endDate: AppStoreInstant?
    package var productIds: [ProductId] = []
    package var productTypes: [HistoryProductType] = []
    package var sort: HistorySort?
    package var subscriptionGroupIdentifiers: [SubscriptionGroupIdentifier] = []
    package var inAppOwnershipType: InAppOwnershipType?
    /// Whether to return revoked transactions (true), all others (false), or both (nil).
    package var revoked: Bool?

    package init() {}

    /// - Parameter revision: the revision from the previous page.
    func parameters(revision: String?) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) {
            if let value { parameters.append((name, value)) }
        }
        add("revision", revision)
        add("startDate", startDate.map { String($0.millisecondsSince1970) })
        add("endDate", endDate.map { String($0.millisecondsSince1970) })
        for id in productIds { add("productId", id.rawValue) }
        for type in productTypes { add("productType", type.rawValue) }
        add("sort", sort?.rawValue)
        for group in subscriptionGroupIdentifiers { add("subscriptionGroupIdentifier", group.rawValue) }
        add("inAppOwnershipType", inAppOwnershipType?.rawValue)
        add("revoked", revoked.map { $0 ? "true" : "false" })
        return parameters
    }
}

/// The kind of product in a history query. Its spelling differs from that in transactions. Apple: ProductType.
package struct HistoryProductType: OpenEnumeration {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let autoRenewable = HistoryProductType("AUTO_RENEWABLE")
    package static let nonRenewable = HistoryProductType("NON_RENEWABLE")
    package static let consumable = HistoryProductType("CONSUMABLE")
    package static let nonConsumable = HistoryProductType("NON_CONSUMABLE")

    package static let known: Set<HistoryProductType> = [.autoRenewable, .nonRenewable, .consumable, .nonConsumable]
}

/// The sort order by modification date. Apple: Order.
package struct HistorySort: OpenEnumeration {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let ascending = HistorySort("ASCENDING")
    package static let descending = HistorySort("DESCENDING")

    package static let known: Set<HistorySort> = [.ascending, .descending]
}
