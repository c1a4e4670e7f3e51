internal import Bytes
internal import Synchronization

/// The identity of a notification: environment and notificationUUID, never the text of its JWS, which has many valid
/// spellings.
struct NotificationIdentity: Hashable, Sendable {
    let environment: UInt8
    let uuid: UUIDBytes

    /// Nil when the text is not a UUID of the form 8-4-4-4-12; letters may be of either case.
    init?(notificationUUID text: some Sequence<UInt8>, environment: UInt8) {
        guard let uuid = UUIDBytes(text: text) else { return nil }
        self.environment = environment
        self.uuid = uuid
    }
}

/// What a ``DuplicateWindow`` distinguishes.
enum RememberedIdentity: Hashable, Sendable {
    case notification(NotificationIdentity)
    /// What was signed of a nonconforming one, which may have no identity: the first half of its SHA-256.
    case nonconforming(high: UInt64, low: UInt64)

    /// Nil when the digest is shorter than 16 bytes.
    init?(nonconformingWithDigest digest: [UInt8]) {
        guard digest.count >= 16 else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self = .nonconforming(high: number(digest[..<8]), low: number(digest[8..<16]))
    }
}

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
        var acknowledged: Set<RememberedIdentity> = []
        /// The acknowledged identities in order of arrival, as a ring.
        var ring: [RememberedIdentity] = []
        var next = 0
        var inFlight: [RememberedIdentity: [Waiter]] = [:]
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Remembers up to `capacity` acknowledged identities; the oldest is evicted.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Called once per authentic notification, before its record is built.
    func arrive(_ identity: RememberedIdentity, waiter: Waiter) -> Arrival {
        state.withLock { state in
            if state.acknowledged.contains(identity) { return .acknowledged }
            if state.inFlight[identity] != nil {
                state.inFlight[identity]?.append(waiter)
                return .waits
            }
            state.inFlight[identity] = []
            return .first
        }
    }

    /// Called exactly once for each `first`; returns those that waited, to be answered alike.
    func settle(_ identity: RememberedIdentity, acknowledged: Bool) -> [Waiter] {
        state.withLock { state in
            let waiters = state.inFlight.removeValue(forKey: identity) ?? []
            if acknowledged, state.acknowledged.insert(identity).inserted {
                if state.ring.count < capacity {
                    state.ring.append(identity)
                } else {
                    state.acknowledged.remove(state.ring[state.next])
                    state.ring[state.next] = identity
                    state.next = (state.next + 1) % capacity
                }
            }
            return waiters
        }
    }
}
