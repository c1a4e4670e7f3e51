internal import Publication
internal import Synchronization

/// Remembers what Kafka has acknowledged, so that a notification sent again (Apple's retry, a replay) adds no record
/// and takes nothing out of the quarantine budget, and lets a second copy that arrives while the first is in flight
/// wait for the first one's outcome.
///
/// An identity is remembered only after its record was acknowledged: marking it earlier could answer 200 for a record
/// that was then lost. `Waiter` is whatever must be answered.
final class DuplicateWindow<Waiter: Sendable>: Sendable {
    enum Arrival: Sendable, Equatable {
        /// Nobody has it: the caller produces the record and reports with `settle`.
        case first
        /// Another request produces it at this moment; the waiter is answered when that one settles.
        case waits
        /// A record with this identity was acknowledged.
        case acknowledged
    }

    private struct State {
        /// The content of each acknowledged notification; nil for nonconforming ones.
        var acknowledged: [DuplicateKey: ContentPrint?] = [:]
        /// The acknowledged identities in order of arrival, as a ring.
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

    /// Whether a record with this identity was acknowledged; one in flight is not. Changes nothing.
    func isAcknowledged(_ identity: DuplicateKey) -> Bool {
        state.withLock { $0.acknowledged[identity] != nil }
    }

    /// Whether something else has this identity, acknowledged or in flight: the first one counts.
    func isOther(_ content: ContentPrint, than identity: DuplicateKey) -> Bool {
        let known = state.withLock { $0.acknowledged[identity] ?? $0.inFlight[identity]?.content }
        return known != nil && known != content
    }

    /// Called once per authentic notification, before its record is built.
    ///
    /// - Parameter content: what it is; nil for a nonconforming one.
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

    /// Called exactly once for each `first`; returns those that waited, to be answered alike.
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
