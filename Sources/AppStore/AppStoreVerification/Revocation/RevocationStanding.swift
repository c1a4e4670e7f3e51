internal import Synchronization

/// What is known about the revocation of one certificate, read on the hot path without a lock.
final class RevocationStanding: Sendable {
    // Milliseconds since 1970 up to which the last good answer counts.
    private let goodUntil = Atomic<Int64>(.min)
    private let revoked = Atomic<Bool>(false)

    enum Known: Equatable {
        case good, revoked, unknown
    }

    func known(at now: Int64) -> Known {
        if revoked.load(ordering: .relaxed) { return .revoked }
        return now <= goodUntil.load(ordering: .relaxed) ? .good : .unknown
    }

    func setGood(until end: Int64) {
        goodUntil.store(end, ordering: .relaxed)
    }

    /// For ever: what an issuer has signed once stays true.
    func setRevoked() {
        revoked.store(true, ordering: .relaxed)
    }
}
