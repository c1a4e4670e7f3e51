internal import AppStoreModel
internal import Bytes
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

/// The body of Send Consumption Information (Apple: ConsumptionRequest), member by member.
enum ConsumptionRequestRules {
    private static let members: Set<String> = [
        "customerConsented", "deliveryStatus", "sampleContentProvided", "consumptionPercentage", "refundPreference",
    ]
    private static let undelivered: Set<String> = [
        "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
    ]

    /// - Throws: what Apple answers to such a body.
    static func read(_ body: [UInt8]) throws(ServerAPIError) -> ConsumptionInformation {
        let object = try RequestBody.object(body, members: members, otherwise: .malformed)
        guard object["customerConsented"]?.bool == true else { throw .invalidCustomerConsented }
        guard let status = object["deliveryStatus"]?.string, status == "DELIVERED" || undelivered.contains(status)
        else { throw .invalidDeliveryStatus }
        guard object["sampleContentProvided"]?.bool != nil else { throw .invalidSampleContentProvided }
        return ConsumptionInformation(
            preference: try preference(object), isDelivered: status == "DELIVERED",
            consumptionPercentage: try percentage(object))
    }

    private static func preference(_ object: JSONObject) throws(ServerAPIError) -> ConsumptionInformation.Preference {
        guard let value = object["refundPreference"] else { return .none }
        switch value.string {
        case "DECLINE": return .decline
        case "GRANT_FULL": return .grantFull
        case "GRANT_PRORATED": return .grantProrated
        default: throw .invalidRefundPreference
        }
    }

    private static func percentage(_ object: JSONObject) throws(ServerAPIError) -> Int64? {
        guard let value = object["consumptionPercentage"] else { return nil }
        guard value.number != nil else { throw .malformed }
        guard let percentage = value.integer, (0...100_000).contains(percentage) else { throw .percentageOutOfRange }
        return percentage
    }

    /// What the transaction does not allow.
    static func check(
        _ information: ConsumptionInformation, of transaction: ConsumptionTransaction
    ) throws(ServerAPIError) {
        guard !transaction.isFamilyShared else { throw .familyTransactionNotSupported }
        guard !transaction.isAdvancedCommerce else { throw .advancedCommerceNotSupported }
        let percentage = information.consumptionPercentage
        guard transaction.type != .autoRenewableSubscription else {
            if percentage != nil { throw .percentageOfSubscription }
            return
        }
        if !information.isDelivered, let percentage, percentage != 0 { throw .percentageOfUndelivered }
        if information.preference == .grantProrated {
            guard let percentage, percentage > 0, percentage < 100_000 else { throw .percentageOutOfRange }
        }
    }
}

/// The body of Send Consumption Information V1 (Apple: ConsumptionRequestV1), member by member.
enum ConsumptionRequestV1Rules {
    private static let members = Set(ranges.map(\.name)).union([
        "customerConsented", "sampleContentProvided", "appAccountToken", "refundPreference",
    ])

    /// The members that are numbers, their greatest value, and what is answered to others.
    private static let ranges: [(name: String, greatest: Int64, error: ServerAPIError)] = [
        ("consumptionStatus", 3, .invalidConsumptionStatus), ("platform", 2, .invalidPlatform),
        ("deliveryStatus", 5, .invalidDeliveryStatus), ("accountTenure", 7, .invalidAccountTenure),
        ("playTime", 7, .invalidPlayTime), ("lifetimeDollarsRefunded", 7, .invalidLifetimeDollarsRefunded),
        ("lifetimeDollarsPurchased", 7, .invalidLifetimeDollarsPurchased), ("userStatus", 4, .invalidUserStatus),
    ]

    /// - Throws: what Apple answers to such a body.
    static func read(_ body: [UInt8]) throws(ServerAPIError) -> ConsumptionInformation {
        let object = try RequestBody.object(body, members: members, otherwise: .malformed)
        guard object["customerConsented"]?.bool == true else { throw .invalidCustomerConsented }
        guard object["sampleContentProvided"]?.bool != nil else { throw .invalidSampleContentProvided }
        for (name, greatest, error) in ranges {
            guard let value = object[name]?.integer, (0...greatest).contains(value) else { throw error }
        }
        guard let token = object["appAccountToken"]?.string, token.isEmpty || UUIDBytes(text: token.utf8) != nil else {
            throw .invalidAppAccountToken
        }
        return ConsumptionInformation(
            preference: try preference(object), isDelivered: object["deliveryStatus"]?.integer == 0,
            consumptionPercentage: nil)
    }

    private static func preference(_ object: JSONObject) throws(ServerAPIError) -> ConsumptionInformation.Preference {
        guard let value = object["refundPreference"] else { return .none }
        switch value.integer {
        case 0, 3: return .none
        case 1: return .grantFull
        case 2: return .decline
        default: throw .invalidRefundPreference
        }
    }

    /// What the transaction does not allow.
    static func check(_ transaction: ConsumptionTransaction) throws(ServerAPIError) {
        guard !transaction.isFamilyShared else { throw .familyTransactionNotSupported }
        guard transaction.type == .consumable || transaction.type == .autoRenewableSubscription else {
            throw .transactionTypeNotSupported
        }
    }
}

/// What the rules need to know of a transaction.
struct ConsumptionTransaction: Sendable, Equatable {
    var type: ProductType
    var isFamilyShared = false
    var isAdvancedCommerce = false

    init(_ payload: JSONObject) {
        type = ProductType(payload["type"]?.string ?? "")
        isFamilyShared = payload["inAppOwnershipType"]?.string == Scenario.Ownership.familyShared.rawValue
        isAdvancedCommerce = payload["advancedCommerceInfo"] != nil
    }

    /// For a transaction that nothing is known of.
    static let unknown = ConsumptionTransaction(["type": "Consumable"])
}

/// The JSON object of a request.
enum RequestBody {
    /// - Parameters:
    ///   - members: the names that Apple documents.
    ///   - error: for what is no JSON object, and for members of another name.
    static func object(
        _ body: [UInt8], members: Set<String>, otherwise error: ServerAPIError
    ) throws(ServerAPIError) -> JSONObject {
        guard let object = (try? JSONValue(json: body))?.object, object.names.allSatisfy({ members.contains($0) })
        else { throw error }
        return object
    }
}
