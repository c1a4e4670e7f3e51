package import AppStoreModel
package import JSON

/// A change of a purchase's state, and the notification that told of it.
package struct PurchaseTransition: Hashable, Sendable {
    package var cause: PurchaseEvent
    /// `SubscriptionState.Phase` or `OneTimeState.Phase` as text; nil for the first.
    package var from: String?
    package var to: String

    package var at: AppStoreInstant { cause.version.signedDate }
}

extension PurchaseFacts {
    /// The changes of state over the events kept: by the status Apple stated with each, else by the facts as of it.
    /// The same for every order of arrival, since events and facts are.
    package func transitions(_ rules: ProductRules) -> [PurchaseTransition] {
        var result: [PurchaseTransition] = []
        for event in events {
            guard let phase = phase(after: event, rules), phase != result.last?.to else { continue }
            result.append(PurchaseTransition(cause: event, from: result.last?.to, to: phase))
        }
        return result
    }

    private func phase(after event: PurchaseEvent, _ rules: ProductRules) -> String? {
        if let phase = event.status.flatMap(SubscriptionState.Phase.init) { return phase.rawValue }
        if isSubscription { return state(asOf: event.version.signedDate)?.phase.rawValue }
        guard let transaction = event.transactionId.flatMap({ transactions[$0] }), let productId = transaction.productId
        else {
            return nil
        }
        let state = asKnown(transaction, at: event.version.signedDate).oneTimeState(
            at: event.version.signedDate, rule: rules.rule(for: productId))
        return state.phase.rawValue
    }
}

extension PurchaseTransition {
    /// Writes `from`, `to`, `at` and the `cause`.
    package func write(to object: inout JSONWriter) {
        object.set("from", from)
        object.set("to", to)
        object.set("at", at)
        object.object("cause") { cause.write(to: &$0) }
    }
}
