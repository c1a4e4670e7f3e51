package import AppStoreModel

/// Endpoints with one limit each. Apple limits every endpoint of an app by itself; a group here is one endpoint, with both
/// versions of it. Source: Apple, "Identifying Rate Limits".
package struct EndpointGroup: Sendable, Hashable {
    package let name: String
    /// In Production. Apple may change it.
    package let perSecond: Int

    private init(_ name: String, _ perSecond: Int) {
        self.name = name
        self.perSecond = perSecond
    }

    /// That of an operation.
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
            // Not in Apple's table.
            case .getStatusOfRenewalDateExtensions: EndpointGroup("extend-status", 1)
            }
    }

    /// The limit in an environment: the sandbox has a tenth.
    package func perSecond(in environment: AppStoreEnvironment) -> Double {
        environment == .production ? Double(perSecond) : Double(perSecond) / 10
    }
}
