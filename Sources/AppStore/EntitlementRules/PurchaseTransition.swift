package import AppStoreModel
package import JSON

/// A change in the state of a purchase, and the notification that reported the change.
package struct PurchaseTransition: Hashable, Sendable {
    package var cause: PurchaseEvent
    /// The raw value of `SubscriptionState.Phase` or `OneTimeState.Phase`, or nil for the first transition.
    package var from: String?
    package var to: String

    package var at: AppStoreInstant { cause.version.signedDate }
}

extension PurchaseFacts {
    /// Returns the state changes over the stored events, using the status that Apple sent with each event or, if Apple
    /// sent no status, the facts at that time. The result does not depend on the order of arrival.
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
    /// Writes `from`, `to`, `at` and `cause`.
    package func write(to object: inout JSONWriter) {
        object.set("from", from)
        object.set("to", to)
        object.set("at", at)
        object.object("cause") { cause.write(to: &$0) }
    }
}
