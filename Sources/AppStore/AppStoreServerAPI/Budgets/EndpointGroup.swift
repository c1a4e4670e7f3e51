package import AppStoreModel

/// The endpoints that share a rate limit. Apple limits each endpoint separately for each app, so a group contains a
/// single endpoint or the two versions of one. Source: Apple, "Identifying Rate Limits".
package struct EndpointGroup: Sendable, Hashable {
    package let name: String
    /// The number of requests allowed per second in Production. Apple may change this limit.
    package let perSecond: Int

    private init(_ name: String, _ perSecond: Int) {
        self.name = name
        self.perSecond = perSecond
    }

    /// Creates the group that an operation belongs to.
    package init(_ operation: APIOperation) {
        self =
            switch operation {
            case .getTransactionInfo: EndpointGroup("transaction", 50)
            case .getTransactionHistory: EndpointGroup("history", 50)
            case .getAllSubscriptionStatuses: EndpointGroup("subscriptions", 50)
            case .sendConsumptionInformation, .sendConsumptionInformationV1: EndpointGroup("consumption", 50)
            case .getNotificationHistory: EndpointGroup("notifications", 50)
            case .extendSubscriptionRenewalDate: EndpointGroup("extend", 20)
            case .lookUpOrderId: EndpointGroup("order", 10)
            case .getRefundHistory: EndpointGroup("refunds", 10)
            case .extendRenewalDatesForAllActiveSubscribers: EndpointGroup("extend-all", 1)
            case .requestTestNotification: EndpointGroup("test", 1)
            case .getTestNotificationStatus: EndpointGroup("test-status", 1)
            case .setAppAccountToken: EndpointGroup("account-token", 20)
            case .getAppTransactionInfo: EndpointGroup("app-transaction", 50)
            case .finishTransaction: EndpointGroup("finish", 50)
            // Apple's table does not list this endpoint, so one request per second is assumed.
            case .getStatusOfRenewalDateExtensions: EndpointGroup("extend-status", 1)
            }
    }

    /// Returns the limit in an environment. The sandbox limit is a tenth of the production limit.
    package func perSecond(in environment: AppStoreEnvironment) -> Double {
        environment == .production ? Double(perSecond) : Double(perSecond) / 10
    }
}
