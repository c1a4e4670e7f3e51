internal import AppStoreModel
internal import JSON

/// Validates the body of Send Consumption Information (Apple's ConsumptionRequest) member by member.
enum ConsumptionRequestRules {
    private static let members: Set<String> = [
        "customerConsented", "deliveryStatus", "sampleContentProvided", "consumptionPercentage", "refundPreference",
    ]
    private static let undelivered: Set<String> = [
        "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
    ]

    /// - Throws: Apple's error for an invalid body.
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

    /// Checks the restrictions that depend on the transaction.
    static func check(
        _ information: ConsumptionInformation, of transaction: ConsumptionTransaction
    ) throws(ServerAPIError) {
        guard !transaction.isFamilyShared else { throw .familyTransactionNotSupported }
        guard !transaction.isAssigned else { throw .assignedTransactionNotSupported }
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
