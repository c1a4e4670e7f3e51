/// An identifier by which operators look up a record.
package struct IndexedName: Hashable, Sendable {
    /// Kinds of identifiers. The raw value is part of the HMAC's input in the index: a contract with the files of
    /// earlier releases.
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case notificationUUID = 1
        case transactionId = 2
        case originalTransactionId = 3
        case appAccountToken = 4
        case appTransactionId = 5
        case webOrderLineItemId = 6
        case requestIdentifier = 7
        case externalPurchaseId = 8

        /// Whether values of this kind are UUIDs, which are compared case-insensitively.
        var isUUID: Bool {
            switch self {
            case .notificationUUID, .appAccountToken, .requestIdentifier, .externalPurchaseId: true
            case .transactionId, .originalTransactionId, .appTransactionId, .webOrderLineItemId: false
            }
        }
    }

    package let kind: Kind
    package let text: String

    /// - Parameter text: UUIDs in either case.
    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = kind.isUUID ? text.lowercased() : text
    }

    /// The input of the index's HMAC.
    var bytes: [UInt8] { [kind.rawValue] + text.utf8 }
}
