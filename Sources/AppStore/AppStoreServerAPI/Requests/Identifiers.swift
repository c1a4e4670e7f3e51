package import AppStoreModel

/// A customer of an app, identified by any of the customer's transactions: a transactionId, an originalTransactionId or
/// an appTransactionId.
package struct AnyTransactionId: AppStoreIdentifier {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package init(_ id: TransactionId) { rawValue = id.rawValue }
    package init(_ id: OriginalTransactionId) { rawValue = id.rawValue }
    package init(_ id: AppTransactionId) { rawValue = id.rawValue }
}

/// An order number from a customer's receipt.
package struct OrderId: AppStoreIdentifier {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a requested test notification.
package struct TestNotificationToken: AppStoreIdentifier {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}
