internal import AppStoreModel
package import JSON

/// The member names in reconciliation topic rows and in `sluicectl` output. These names are a contract.
private enum Name {
    static let purchase: StaticString = "originalTransactionId"
    static let difference: StaticString = "difference"
    static let state: StaticString = "state"
    static let isEntitled: StaticString = "isEntitled"
    static let transaction: StaticString = "transactionId"
    static let status: StaticString = "status"
    static let latest: StaticString = "latestTransactionId"
    static let awaitsConfirmation: StaticString = "awaitsConfirmation"
    static let repaired: StaticString = "repaired"
}

extension StatusDifference {
    package func write(to object: inout JSONWriter) {
        object.set(Name.purchase, published.originalTransactionId.rawValue)
        object.set(Name.difference, kind.rawValue)
        object.set(Name.state, published.state)
        object.set(Name.isEntitled, published.isEntitled)
        object.set(Name.transaction, published.transactionId?.rawValue)
        object.set(Name.status, status?.rawValue)
        object.set(Name.latest, latest?.rawValue)
        if published.awaitsConfirmation { object.set(Name.awaitsConfirmation, true) }
        if isRepaired { object.set(Name.repaired, true) }
    }

    /// Parses the output of ``write(to:)``, or returns nil for any other text.
    package init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let purchase: OriginalTransactionId = fields.identifier(Name.purchase),
            let kind = fields.string(Name.difference).flatMap({ Kind(rawValue: $0) })
        else { return nil }
        let published = PublishedSubscription(
            purchase, isEntitled: fields.bool(Name.isEntitled) ?? false, state: fields.string(Name.state),
            transactionId: fields.identifier(Name.transaction),
            awaitsConfirmation: fields.bool(Name.awaitsConfirmation) ?? false)
        self.init(
            kind, published, status: fields.int32(Name.status).map { SubscriptionStatus(rawValue: $0) },
            latest: fields.identifier(Name.latest), isRepaired: fields.bool(Name.repaired) ?? false)
    }
}
