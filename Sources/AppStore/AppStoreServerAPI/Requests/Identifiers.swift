package import AppStoreModel

/// One customer of an app, identified by any of their transactions: a transactionId, an originalTransactionId or an
/// appTransactionId.
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

/// Identifies a requested test notification.
package struct TestNotificationToken: AppStoreIdentifier {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}
