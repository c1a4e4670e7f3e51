package import AppStoreModel

/// A change of a subscription's state, and the notification that told of it.
package struct ChainTransition: Hashable, Sendable {
    package var cause: ChainEvent
    /// Nil for the first.
    package var from: SubscriptionState.Phase?
    package var to: SubscriptionState.Phase

    package var at: AppStoreInstant { cause.version.signedDate }
}

extension ChainFacts {
    /// The changes of state over the events kept: by the status Apple stated with each, else by the facts as of it.
    /// The same for every order of arrival, since events and facts are.
    package var transitions: [ChainTransition] {
        var result: [ChainTransition] = []
        for event in events {
            guard
                let phase = event.status.flatMap(SubscriptionState.Phase.init)
                    ?? state(asOf: event.version.signedDate)?.phase,
                phase != result.last?.to
            else { continue }
            result.append(ChainTransition(cause: event, from: result.last?.to, to: phase))
        }
        return result
    }
}
