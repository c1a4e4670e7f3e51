internal import AppStoreModel
internal import JSON

/// A consumption answer whose members are valid individually.
struct ConsumptionInformation: Sendable, Equatable {
    /// The developer's preference, independent of the endpoint version.
    enum Preference: Sendable, Equatable {
        case decline, grantFull, grantProrated, none
    }

    let preference: Preference
    let isDelivered: Bool
    /// The consumption in thousandths of a percent, or nil if the answer does not contain it. Version 1 answers never
    /// do.
    let consumptionPercentage: Int64?
}

/// The members of a transaction that the rules need.
struct ConsumptionTransaction: Sendable, Equatable {
    var type: ProductType
    var isFamilyShared = false
    /// Whether access was assigned by an organization or a group.
    var isAssigned = false
    var isAdvancedCommerce = false

    init(_ payload: JSONObject) {
        type = ProductType(payload["type"]?.string ?? "")
        isFamilyShared = payload["inAppOwnershipType"]?.string == Scenario.Ownership.familyShared.rawValue
        isAssigned = payload["inAppOwnershipType"]?.string == InAppOwnershipType.assigned.rawValue
        isAdvancedCommerce = payload["advancedCommerceInfo"] != nil
    }

    /// A placeholder for unregistered transactions.
    static let unknown = ConsumptionTransaction(["type": "Consumable"])
}
