internal import Cryptography
internal import Synchronization

/// Limits the rate and concurrency of validating unknown certificate paths. An untrusted client can create any number
/// of paths, and each validation takes about a millisecond. Known paths are not limited.
///
/// The concurrency limit applies to distinct paths. Right after startup, all workers see the same new path from Apple
/// at once; admitting only one of them would reject authentic notifications. The rate limit applies to every
/// validation.
final class NewCertificateChainLimiter: Sendable {
    private struct State {
        var tokens: Int64
        // The time up to which tokens have been added, in milliseconds since 1970.
        var refilledAt: Int64
        var running: [SHA256Digest: Int] = [:]
    }

    private let limits: NewCertificateChainLimits
    private let state: Mutex<State>

    init(_ limits: NewCertificateChainLimits) {
        self.limits = limits
        state = Mutex(State(tokens: Int64(limits.perSecond) * 1000, refilledAt: .min))
    }

    /// Returns whether the path may be validated. If it returns true, the caller must call `leave` afterwards.
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

    // Tokens are counted in thousandths, so each millisecond adds exactly the rate. Workers read the clock before this
    // call, so a slightly earlier time comes from another worker and adds nothing. If the clock was set back, the
    // refill restarts.
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
