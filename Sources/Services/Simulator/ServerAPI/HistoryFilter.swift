internal import AppStoreModel
internal import JSON

/// The query parameters of Get Transaction History.
struct HistoryFilter {
    private static let names: Set<String> = [
        "revision", "startDate", "endDate", "productId", "productType", "sort", "subscriptionGroupIdentifier",
        "inAppOwnershipType", "revoked", "excludeRevoked",
    ]
    /// The product types, keyed by their names in this query, which differ from the names in transactions.
    private static let types = [
        "AUTO_RENEWABLE": ProductType.autoRenewableSubscription, "NON_RENEWABLE": .nonRenewingSubscription,
        "CONSUMABLE": .consumable, "NON_CONSUMABLE": .nonConsumable,
    ]

    let isDescending: Bool
    /// A digest of all parameters except the revision.
    let digest: String
    private let startDate: Int64?
    private let endDate: Int64?
    private let products: [String]
    private let types: [ProductType]
    private let groups: [String]
    private let ownership: String?
    private let isRevoked: Bool?

    init(_ query: ServerAPIQuery) throws(ServerAPIError) {
        try query.checkNames(Self.names)
        startDate = try Self.date(query, "startDate", .invalidStartDate)
        endDate = try Self.date(query, "endDate", .invalidEndDate)
        if let startDate, let endDate, startDate >= endDate { throw .startDateAfterEndDate }
        products = query.values("productId")
        guard products.allSatisfy({ !$0.isEmpty }) else { throw .invalidProductId }
        var types: [ProductType] = []
        for text in query.values("productType") {
            guard let type = Self.types[text] else { throw .invalidProductType }
            types.append(type)
        }
        self.types = types
        groups = query.values("subscriptionGroupIdentifier")
        guard groups.allSatisfy({ !$0.isEmpty }) else { throw .invalidSubscriptionGroupIdentifier }
        ownership = try query.value("inAppOwnershipType", .invalidOwnershipType)
        if let ownership, Scenario.Ownership(rawValue: ownership) == nil {
            throw .invalidOwnershipType
        }
        isDescending = try Self.isDescending(query)
        isRevoked = try Self.isRevoked(query)
        let others = query.parameters.filter { $0.name != "revision" }.map { "\($0.name)=\($0.value)" }
        digest = others.sorted().joined(separator: "&")
    }

    func includes(_ transaction: JSONObject) -> Bool {
        let purchased = ServerAPIStore.date(transaction, "purchaseDate")
        func isOne(of wanted: [String], _ name: String) -> Bool {
            wanted.isEmpty || (transaction[name]?.string).map { wanted.contains($0) } ?? false
        }
        return startDate.map { purchased >= $0 } ?? true
            && endDate.map { purchased < $0 } ?? true
            && isOne(of: products, "productId")
            && isOne(of: types.map(\.rawValue), "type")
            && isOne(of: groups, "subscriptionGroupIdentifier")
            && isOne(of: ownership.map { [$0] } ?? [], "inAppOwnershipType")
            && isRevoked.map { (transaction["revocationDate"] != nil) == $0 } ?? true
    }

    private static func date(
        _ query: ServerAPIQuery, _ name: String, _ error: ServerAPIError
    ) throws(ServerAPIError) -> Int64? {
        guard let text = try query.value(name, error) else { return nil }
        guard let date = Int64(text), date >= 0 else { throw error }
        return date
    }

    private static func isDescending(_ query: ServerAPIQuery) throws(ServerAPIError) -> Bool {
        switch try query.value("sort", .invalidSort) {
        case nil, "ASCENDING": return false
        case "DESCENDING": return true
        default: throw .invalidSort
        }
    }

    private static func isRevoked(_ query: ServerAPIQuery) throws(ServerAPIError) -> Bool? {
        // The deprecated `excludeRevoked=true` means `revoked=false`, and `excludeRevoked=false` means no filter.
        let excluded = try bool(query, "excludeRevoked", .invalidExcludeRevoked)
        let revoked = try bool(query, "revoked", .invalidRevoked)
        return revoked ?? (excluded == true ? false : nil)
    }

    private static func bool(
        _ query: ServerAPIQuery, _ name: String, _ error: ServerAPIError
    ) throws(ServerAPIError) -> Bool? {
        switch try query.value(name, error) {
        case nil: return nil
        case "true": return true
        case "false": return false
        default: throw error
        }
    }
}
