/// An identifier that operators use to look up a record.
package struct IndexedName: Hashable, Sendable {
    /// The kind of an identifier. The raw value is part of the index's HMAC input, so it must not change.
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

    /// - Parameter text: the identifier; a UUID may be in upper or lower case.
    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = kind.isUUID ? text.lowercased() : text
    }

    /// The input to the index's HMAC.
    var bytes: [UInt8] { [kind.rawValue] + text.utf8 }
}
