package import AppStoreModel

// Responses as sent by Apple. The signed objects are compact JWS strings and have not been verified yet.

/// The response to Get Transaction Info.
package struct TransactionInfoAnswer: APIAnswer {
    package let signedTransactionInfo: String

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        signedTransactionInfo = try members.requiredString("signedTransactionInfo")
    }
}

/// The response to Get App Transaction Info.
package struct AppTransactionInfoAnswer: APIAnswer {
    package let signedAppTransactionInfo: String

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        signedAppTransactionInfo = try members.requiredString("signedAppTransactionInfo")
    }
}

/// One page of Get Transaction History or Get Refund History. A refund history has no app and no environment.
package struct TransactionHistoryAnswer: APIAnswer {
    package let revision: String?
    package let hasMore: Bool
    package let bundleId: BundleId?
    package let appAppleId: AppAppleId?
    package let environment: AppStoreEnvironment?
    package let signedTransactions: [String]

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        revision = members.string("revision")
        hasMore = try members.requiredBool("hasMore")
        bundleId = members.identifier("bundleId")
        appAppleId = members.integer("appAppleId").map { AppAppleId($0) }
        environment = members.enumeration("environment")
        signedTransactions = members.strings("signedTransactions")
    }
}

/// The response to Look Up Order ID.
package struct OrderLookupAnswer: APIAnswer {
    package let status: OrderLookupStatus
    package let signedTransactions: [String]

    package init(reading members: inout AnswerReader) throws(AnswerError) {
        status = try members.required("status") { $0.enumeration("status") }
        signedTransactions = members.strings("signedTransactions")
    }
}

/// Whether an order ID belongs to the app. Apple: OrderLookupStatus.
package struct OrderLookupStatus: OpenEnumeration {
    package var rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let valid = OrderLookupStatus(0)
    /// The order ID is unknown or belongs to a different app.
    package static let invalid = OrderLookupStatus(1)

    package static let known: Set<OrderLookupStatus> = [.valid, .invalid]
}
