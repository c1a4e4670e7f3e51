/// An endpoint of the App Store Server API, by Apple's name. Source: Apple, "App Store Server API".
package enum APIOperation: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case getTransactionInfo = "Get Transaction Info"
    case getAllSubscriptionStatuses = "Get All Subscription Statuses"
    case getTransactionHistory = "Get Transaction History"
    case getRefundHistory = "Get Refund History"
    case getNotificationHistory = "Get Notification History"
    case requestTestNotification = "Request a Test Notification"
    case getTestNotificationStatus = "Get Test Notification Status"
    case sendConsumptionInformation = "Send Consumption Information"
    case sendConsumptionInformationV1 = "Send Consumption Information V1"
    case lookUpOrderId = "Look Up Order ID"
    case extendSubscriptionRenewalDate = "Extend a Subscription Renewal Date"
    case extendRenewalDatesForAllActiveSubscribers =
        "Extend Subscription Renewal Dates for All Active Subscribers"
    case getStatusOfRenewalDateExtensions = "Get Status of Subscription Renewal Date Extensions"
    case setAppAccountToken = "Set App Account Token"
    case getAppTransactionInfo = "Get App Transaction Info"
    case finishTransaction = "Finish Transaction"

    package var description: String { rawValue }

    /// The HTTP method.
    package var method: String {
        switch self {
        case .getTransactionInfo, .getAllSubscriptionStatuses, .getTransactionHistory, .getRefundHistory,
            .getTestNotificationStatus, .lookUpOrderId, .getStatusOfRenewalDateExtensions, .getAppTransactionInfo:
            "GET"
        case .getNotificationHistory, .requestTestNotification, .extendRenewalDatesForAllActiveSubscribers,
            .finishTransaction:
            "POST"
        case .sendConsumptionInformation, .sendConsumptionInformationV1, .extendSubscriptionRenewalDate,
            .setAppAccountToken:
            "PUT"
        }
    }

    /// The path below the base URL. Each `*` is a placeholder for one argument of the request.
    package var path: String {
        switch self {
        case .getTransactionInfo: "/inApps/v1/transactions/*"
        case .getAllSubscriptionStatuses: "/inApps/v1/subscriptions/*"
        case .getTransactionHistory: "/inApps/v2/history/*"
        case .getRefundHistory: "/inApps/v2/refund/lookup/*"
        case .getNotificationHistory: "/inApps/v1/notifications/history"
        case .requestTestNotification: "/inApps/v1/notifications/test"
        case .getTestNotificationStatus: "/inApps/v1/notifications/test/*"
        case .sendConsumptionInformation: "/inApps/v2/transactions/consumption/*"
        case .sendConsumptionInformationV1: "/inApps/v1/transactions/consumption/*"
        case .lookUpOrderId: "/inApps/v1/lookup/*"
        case .extendSubscriptionRenewalDate: "/inApps/v1/subscriptions/extend/*"
        case .extendRenewalDatesForAllActiveSubscribers: "/inApps/v1/subscriptions/extend/mass"
        case .getStatusOfRenewalDateExtensions: "/inApps/v1/subscriptions/extend/mass/*/*"
        case .setAppAccountToken: "/inApps/v1/transactions/*/appAccountToken"
        case .getAppTransactionInfo: "/inApps/v1/transactions/appTransactions/*"
        case .finishTransaction: "/inApps/v1/transactions/*/finish"
        }
    }
}
