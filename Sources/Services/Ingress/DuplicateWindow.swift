internal import Publication
internal import Synchronization

/// Remembers acknowledged notifications, so that a notification sent again (Apple's retry, a replay) adds no record and
/// uses no quarantine budget. A second copy that arrives while the first is in flight waits for its outcome.
///
/// An identity is remembered only after its record was acknowledged: earlier, a 200 could be sent for a record that is
/// then lost. `Waiter` represents a request to respond to.
final class DuplicateWindow<Waiter: Sendable>: Sendable {
    enum Arrival: Sendable, Equatable {
        /// The identity is new: the caller produces the record and reports the outcome with `settle`.
        case first
        /// Another request is producing the record; the waiter gets its outcome.
        case waits
        /// A record with this identity was acknowledged.
        case acknowledged
    }

    private struct State {
        /// Content of each acknowledged notification; nil for nonconforming ones.
        var acknowledged: [DuplicateKey: ContentPrint?] = [:]
        /// Acknowledged identities in order of arrival, as a ring.
        var ring: [DuplicateKey] = []
        var next = 0
        var inFlight: [DuplicateKey: InFlight] = [:]
    }

    private struct InFlight {
        let content: ContentPrint?
        var waiters: [Waiter] = []
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Remembers up to `capacity` acknowledged identities; the oldest is evicted.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Returns whether a record with this identity was acknowledged; false while it is in flight. Changes nothing.
    func isAcknowledged(_ identity: DuplicateKey) -> Bool {
        state.withLock { $0.acknowledged[identity] != nil }
    }

    /// Returns whether a notification with this identity but other content was acknowledged or is in flight; the first
    /// one counts.
    func isOther(_ content: ContentPrint, than identity: DuplicateKey) -> Bool {
        let known = state.withLock { $0.acknowledged[identity] ?? $0.inFlight[identity]?.content }
        return known != nil && known != content
    }

    /// Registers an authentic notification; called once for each, before its record is built.
    ///
    /// - Parameter content: its content; nil for a nonconforming one.
    func arrive(_ identity: DuplicateKey, content: ContentPrint? = nil, waiter: Waiter) -> Arrival {
        state.withLock { state in
            if state.acknowledged[identity] != nil { return .acknowledged }
            if state.inFlight[identity] != nil {
                state.inFlight[identity]?.waiters.append(waiter)
                return .waits
            }
            state.inFlight[identity] = InFlight(content: content)
            return .first
        }
    }

    /// Settles an identity; called exactly once for each `first`. Returns the waiters, which get the same response.
    func settle(_ identity: DuplicateKey, acknowledged: Bool) -> [Waiter] {
        state.withLock { state in
            let settled = state.inFlight.removeValue(forKey: identity)
            if acknowledged, state.acknowledged.updateValue(settled?.content, forKey: identity) == nil {
                if state.ring.count < capacity {
                    state.ring.append(identity)
                } else {
                    state.acknowledged[state.ring[state.next]] = nil
                    state.ring[state.next] = identity
                    state.next = (state.next + 1) % capacity
                }
            }
            return settled?.waiters ?? []
        }
    }
}
