package import AppStoreModel

/// The filter for a transaction history, the same for every page. Apple: Get Transaction History.
package struct TransactionHistoryQuery: Sendable, Hashable {
    /// Only transactions purchased at or after this time.
    package var startDate: AppStoreInstant?
    /// Only transactions purchased before this time.
    package var endDate: AppStoreInstant?
    package var productIds: [ProductId] = []
    package var productTypes: [HistoryProductType] = []
    package var sort: HistorySort?
    package var subscriptionGroupIdentifiers: [SubscriptionGroupIdentifier] = []
    package var inAppOwnershipType: InAppOwnershipType?
    /// True selects revoked transactions, false selects all others, and nil selects both.
    package var revoked: Bool?

    package init() {}

    /// - Parameter revision: the previous page's revision.
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

/// Kind of product in a history query, spelled differently than in a transaction. Apple: ProductType.
package struct HistoryProductType: OpenEnumeration {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let autoRenewable = HistoryProductType("AUTO_RENEWABLE")
    package static let nonRenewable = HistoryProductType("NON_RENEWABLE")
    package static let consumable = HistoryProductType("CONSUMABLE")
    package static let nonConsumable = HistoryProductType("NON_CONSUMABLE")

    package static let known: Set<HistoryProductType> = [.autoRenewable, .nonRenewable, .consumable, .nonConsumable]
}

/// Sort order by the time of the last change. Apple: Order.
package struct HistorySort: OpenEnumeration {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let ascending = HistorySort("ASCENDING")
    package static let descending = HistorySort("DESCENDING")

    package static let known: Set<HistorySort> = [.ascending, .descending]
}
