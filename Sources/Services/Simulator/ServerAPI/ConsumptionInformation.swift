internal import AppStoreModel
internal import JSON

/// A consumption answer whose members are valid by themselves.
struct ConsumptionInformation: Sendable, Equatable {
    /// What the developer would like, whichever version says it.
    enum Preference: Sendable, Equatable {
        case decline, grantFull, grantProrated, none
    }

    let preference: Preference
    let isDelivered: Bool
    /// Milliunits of a percent; version 1 has none.
    let consumptionPercentage: Int64?
}

/// What the rules need to know of a transaction.
struct ConsumptionTransaction: Sendable, Equatable {
    var type: ProductType
    var isFamilyShared = false
    /// By an organization or a group.
    var isAssigned = false
    var isAdvancedCommerce = false

    init(_ payload: JSONObject) {
        type = ProductType(payload["type"]?.string ?? "")
        isFamilyShared = payload["inAppOwnershipType"]?.string == Scenario.Ownership.familyShared.rawValue
        isAssigned = payload["inAppOwnershipType"]?.string == InAppOwnershipType.assigned.rawValue
        isAdvancedCommerce = payload["advancedCommerceInfo"] != nil
    }

    /// For a transaction that nothing is known of.
    static let unknown = ConsumptionTransaction(["type": "Consumable"])
}
