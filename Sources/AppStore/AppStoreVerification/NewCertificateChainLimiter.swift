internal import Cryptography
internal import Synchronization

/// Admits certificate paths that were never seen: an untrusted client can make them at will and each costs about a
/// millisecond, so they get a rate and a concurrency of their own. Known paths are not limited.
///
/// Concurrency counts different paths: right after a start every worker meets the same path of Apple's at once, and
/// refusing all but one of them would refuse authentic notifications. The rate counts every one.
final class NewCertificateChainLimiter: Sendable {
    private struct State {
        var tokens: Int64
        // Milliseconds since 1970 up to which tokens have been given out.
        var refilledAt: Int64
        var running: [SHA256Digest: Int] = [:]
    }

    private let limits: NewCertificateChainLimits
    private let state: Mutex<State>

    init(_ limits: NewCertificateChainLimits) {
        self.limits = limits
        state = Mutex(State(tokens: Int64(limits.perSecond) * 1000, refilledAt: .min))
    }

    /// True when the path may be examined; the caller then calls `leave` when it is done.
    func enter(_ path: SHA256Digest, at now: Int64) -> Bool {
        state.withLock { state in
            Self.refill(&state, perSecond: Int64(limits.perSecond), at: now)
            guard state.tokens >= 1000 else { return false }
            guard state.running[path] != nil || state.running.count < limits.concurrency else { return false }
            state.tokens -= 1000
            state.running[path, default: 0] += 1
            return true
        }
    }

    func leave(_ path: SHA256Digest) {
        state.withLock { state in
            let count = state.running[path] ?? 0
            state.running[path] = count > 1 ? count - 1 : nil
        }
    }

    // Tokens are thousandths, so that a millisecond refills exactly the rate. Workers read the clock before they come
    // here, so a little step back is another worker's and gives nothing; a clock that was set back restarts it.
    private static func refill(_ state: inout State, perSecond: Int64, at now: Int64) {
        let (back, isFarBack) = state.refilledAt.subtractingReportingOverflow(now)
        if now < state.refilledAt, !isFarBack, back <= 1000 { return }
        defer { state.refilledAt = now }
        guard now > state.refilledAt else { return }
        let (elapsed, overflow) = now.subtractingReportingOverflow(state.refilledAt)
        let full = perSecond * 1000
        state.tokens = overflow || elapsed >= 1000 ? full : min(full, state.tokens + elapsed * perSecond)
    }
}
