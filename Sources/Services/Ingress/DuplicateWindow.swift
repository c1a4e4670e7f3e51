internal import Publication
internal import Synchronization

/// Remembers acknowledged notifications, so that a repeated one (an Apple retry or a replay) adds no record and uses no
/// quarantine budget. A second copy that arrives while the first is in flight waits for the first one's outcome.
///
/// An identity is remembered only after its record has been acknowledged; otherwise, a 200 could be sent for a record
/// that is then lost. A `Waiter` represents a request that awaits its response.
final class DuplicateWindow<Waiter: Sendable>: Sendable {
    enum Arrival: Sendable, Equatable {
        /// The identity is new. The caller must produce the record and report the outcome with `settle`.
        case first
        /// Another request is producing the record. The waiter gets a response once that request is settled.
        case waits
        /// A record with this identity has already been acknowledged.
        case acknowledged
    }

    private struct State {
        /// The content of each acknowledged notification, or nil for a nonconforming one.
        var acknowledged: [DuplicateKey: ContentPrint?] = [:]
        /// Acknowledged identities in order of arrival, as a ring buffer.
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

    /// Creates a window that remembers up to `capacity` acknowledged identities and evicts the oldest ones.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Returns whether a record with this identity has been acknowledged. Returns false while it is in flight. Changes
    /// nothing.
    func isAcknowledged(_ identity: DuplicateKey) -> Bool {
        state.withLock { $0.acknowledged[identity] != nil }
    }

    /// Returns whether a notification with this identity but different content has been acknowledged or is in flight.
    /// The first notification takes precedence.
    func isOther(_ content: ContentPrint, than identity: DuplicateKey) -> Bool {
        let known = state.withLock { $0.acknowledged[identity] ?? $0.inFlight[identity]?.content }
        return known != nil && known != content
    }

    /// Registers an authentic notification. Called once per notification, before its record is built.
    ///
    /// - Parameter content: the notification's content, or nil if it is nonconforming.
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

    /// Settles an identity and returns the waiters, to which the caller must respond. Called exactly once for each
    /// `first`.
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
