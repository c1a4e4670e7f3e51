/// Whether the app delivered the purchase (Apple: deliveryStatus).
package enum DeliveryStatus: String, CaseIterable, Sendable {
    case delivered = "DELIVERED"
    case undeliveredQualityIssue = "UNDELIVERED_QUALITY_ISSUE"
    case undeliveredWrongItem = "UNDELIVERED_WRONG_ITEM"
    case undeliveredServerOutage = "UNDELIVERED_SERVER_OUTAGE"
    case undeliveredOther = "UNDELIVERED_OTHER"

    /// The number used in the version 1 body, where 0 means delivered rather than undeclared.
    var version1: Int64 {
        switch self {
        case .delivered: 0
        case .undeliveredQualityIssue: 1
        case .undeliveredWrongItem: 2
        case .undeliveredServerOutage: 3
        case .undeliveredOther: 5
        }
    }
}

/// How much of the purchase was consumed (Apple: consumptionStatus, version 1 only).
package enum ConsumptionStatus: String, CaseIterable, Sendable {
    case notConsumed = "NOT_CONSUMED"
    case partiallyConsumed = "PARTIALLY_CONSUMED"
    case fullyConsumed = "FULLY_CONSUMED"

    /// The number used in the version 1 body, where 0 means undeclared.
    var version1: Int64 {
        switch self {
        case .notConsumed: 1
        case .partiallyConsumed: 2
        case .fullyConsumed: 3
        }
    }
}

/// The platform on which the customer consumed the purchase (Apple: platform, version 1 only).
package enum ConsumptionPlatform: String, CaseIterable, Sendable {
    case apple = "APPLE"
    case nonApple = "NON_APPLE"

    /// The number used in the version 1 body, where 0 means undeclared.
    var version1: Int64 {
        switch self {
        case .apple: 1
        case .nonApple: 2
        }
    }
}

/// The status of the customer's account in the app (Apple: userStatus, version 1 only).
package enum UserStatus: String, CaseIterable, Sendable {
    case active = "ACTIVE"
    case suspended = "SUSPENDED"
    case terminated = "TERMINATED"
    case limitedAccess = "LIMITED_ACCESS"

    /// The number used in the version 1 body, where 0 means undeclared.
    var version1: Int64 {
        switch self {
        case .active: 1
        case .suspended: 2
        case .terminated: 3
        case .limitedAccess: 4
        }
    }
}
