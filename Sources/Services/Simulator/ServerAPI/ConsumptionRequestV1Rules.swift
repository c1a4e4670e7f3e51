internal import AppStoreModel
internal import JSON
internal import Primitives

/// Validates the body of Send Consumption Information V1 (Apple's ConsumptionRequestV1) member by member.
enum ConsumptionRequestV1Rules {
    private static let members = Set(ranges.map(\.name)).union([
        "customerConsented", "sampleContentProvided", "appAccountToken", "refundPreference",
    ])

    /// The numeric members, each with its maximum and the error for other values.
    private static let ranges: [(name: String, greatest: Int64, error: ServerAPIError)] = [
        ("consumptionStatus", 3, .invalidConsumptionStatus), ("platform", 2, .invalidPlatform),
        ("deliveryStatus", 5, .invalidDeliveryStatus), ("accountTenure", 7, .invalidAccountTenure),
        ("playTime", 7, .invalidPlayTime), ("lifetimeDollarsRefunded", 7, .invalidLifetimeDollarsRefunded),
        ("lifetimeDollarsPurchased", 7, .invalidLifetimeDollarsPurchased), ("userStatus", 4, .invalidUserStatus),
    ]

    /// - Throws: Apple's error for an invalid body.
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

    /// Checks the restrictions that depend on the transaction.
    static func check(_ transaction: ConsumptionTransaction) throws(ServerAPIError) {
        guard !transaction.isFamilyShared else { throw .familyTransactionNotSupported }
        guard !transaction.isAssigned else { throw .assignedTransactionNotSupported }
        guard transaction.type == .consumable || transaction.type == .autoRenewableSubscription else {
            throw .transactionTypeNotSupported
        }
    }
}
