/// Whether the app delivered what was bought (Apple: deliveryStatus).
package enum DeliveryStatus: String, CaseIterable, Sendable {
    case delivered = "DELIVERED"
    case undeliveredQualityIssue = "UNDELIVERED_QUALITY_ISSUE"
    case undeliveredWrongItem = "UNDELIVERED_WRONG_ITEM"
    case undeliveredServerOutage = "UNDELIVERED_SERVER_OUTAGE"
    case undeliveredOther = "UNDELIVERED_OTHER"

    /// The number of the version 1 body. 0 means delivered there, not undeclared.
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

/// How much of what was bought is consumed (Apple: consumptionStatus, version 1 only).
package enum ConsumptionStatus: String, CaseIterable, Sendable {
    case notConsumed = "NOT_CONSUMED"
    case partiallyConsumed = "PARTIALLY_CONSUMED"
    case fullyConsumed = "FULLY_CONSUMED"

    /// The number of the version 1 body; 0 is undeclared.
    var version1: Int64 {
        switch self {
        case .notConsumed: 1
        case .partiallyConsumed: 2
        case .fullyConsumed: 3
        }
    }
}

/// Where the customer consumed it (Apple: platform, version 1 only).
package enum ConsumptionPlatform: String, CaseIterable, Sendable {
    case apple = "APPLE"
    case nonApple = "NON_APPLE"

    /// The number of the version 1 body; 0 is undeclared.
    var version1: Int64 {
        switch self {
        case .apple: 1
        case .nonApple: 2
        }
    }
}

/// How the customer's account stands with the app (Apple: userStatus, version 1 only).
package enum UserStatus: String, CaseIterable, Sendable {
    case active = "ACTIVE"
    case suspended = "SUSPENDED"
    case terminated = "TERMINATED"
    case limitedAccess = "LIMITED_ACCESS"

    /// The number of the version 1 body; 0 is undeclared.
    var version1: Int64 {
        switch self {
        case .active: 1
        case .suspended: 2
        case .terminated: 3
        case .limitedAccess: 4
        }
    }
}
