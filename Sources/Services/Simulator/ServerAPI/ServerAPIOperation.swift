internal import Primitives

/// The endpoints of the App Store Server API. The raw value is the name in Apple's documentation and libraries.
package enum ServerAPIOperation: String, Sendable, CaseIterable {
    case getTransactionInfo
    case getAllSubscriptionStatuses
    case getTransactionHistory
    case getRefundHistory
    case getNotificationHistory
    case requestTestNotification
    case getTestNotificationStatus
    case sendConsumptionInformation
    case sendConsumptionInformationV1
    case lookUpOrderId
    case extendRenewalDate
    case extendRenewalDateForAllActiveSubscribers
    case getStatusOfRenewalDateExtensions
    case setAppAccountToken
    case getAppTransactionInfo
    case finishTransaction

    package var method: StaticString {
        switch self {
        case .getTransactionInfo, .getAllSubscriptionStatuses, .getTransactionHistory, .getRefundHistory,
            .getTestNotificationStatus, .lookUpOrderId, .getStatusOfRenewalDateExtensions, .getAppTransactionInfo:
            "GET"
        case .sendConsumptionInformation, .sendConsumptionInformationV1, .extendRenewalDate, .setAppAccountToken:
            "PUT"
        case .getNotificationHistory, .requestTestNotification, .extendRenewalDateForAllActiveSubscribers,
            .finishTransaction:
            "POST"
        }
    }

    /// The path, in which `*` stands for a parameter.
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
        case .extendRenewalDate: "/inApps/v1/subscriptions/extend/*"
        case .extendRenewalDateForAllActiveSubscribers: "/inApps/v1/subscriptions/extend/mass"
        case .getStatusOfRenewalDateExtensions: "/inApps/v1/subscriptions/extend/mass/*/*"
        case .setAppAccountToken: "/inApps/v1/transactions/*/appAccountToken"
        case .getAppTransactionInfo: "/inApps/v1/transactions/appTransactions/*"
        case .finishTransaction: "/inApps/v1/transactions/*/finish"
        }
    }

    /// Whether a request has a body.
    var takesBody: Bool {
        switch self {
        case .getNotificationHistory, .sendConsumptionInformation, .sendConsumptionInformationV1, .extendRenewalDate,
            .extendRenewalDateForAllActiveSubscribers, .setAppAccountToken:
            true
        default: false
        }
    }

    /// Whether the operation sends consumption information.
    var isConsumption: Bool { self == .sendConsumptionInformation || self == .sendConsumptionInformationV1 }

    /// Whether a success response has a body.
    var answersWithJSON: Bool {
        switch self {
        case .sendConsumptionInformation, .sendConsumptionInformationV1, .setAppAccountToken, .finishTransaction: false
        default: true
        }
    }
}

/// An operation and its path parameters.
struct ServerAPIRoute: Equatable {
    let operation: ServerAPIOperation
    /// The percent-decoded parameters. A parameter that cannot be decoded is kept as sent.
    let parameters: [String]

    /// The result of matching a method and a path.
    enum Match: Equatable {
        case route(ServerAPIRoute)
        /// The path exists, but only for these methods.
        case otherMethods(String)
        case none
    }

    static func match(method: String, path: String) -> Match {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        var best: (route: ServerAPIRoute, literals: Int)?
        var others: [String] = []
        for (operation, template) in templates where template.count == parts.count {
            guard zip(template, parts).allSatisfy({ $0 == "*" ? !$1.isEmpty : $0 == $1 }) else { continue }
            guard "\(operation.method)" == method else {
                others.append("\(operation.method)")
                continue
            }
            // `/extend/mass` is not an identifier: the template with more literal segments takes precedence.
            let literals = template.count { $0 != "*" }
            if best.map({ literals > $0.literals }) ?? true {
                let parameters = zip(template, parts).filter { $0.0 == "*" }.map { PercentEncoding.decodeOrKeep($0.1) }
                best = (ServerAPIRoute(operation: operation, parameters: parameters), literals)
            }
        }
        if let best { return .route(best.route) }
        return others.isEmpty ? .none : .otherMethods(Set(others).sorted().joined(separator: ", "))
    }

    private static let templates = ServerAPIOperation.allCases.map {
        ($0, $0.path.split(separator: "/", omittingEmptySubsequences: false))
    }
}
