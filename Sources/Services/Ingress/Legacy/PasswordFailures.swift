internal import Concurrency
internal import HTTPServer
internal import Synchronization

/// Wrong passwords by the network they came from: five a minute, and then no password of that network is looked at
/// until some time has passed.
///
/// Bounded: of more networks than are remembered, those that failed longest ago are forgotten.
final class PasswordFailures: Sendable {
    static let perMinute = 5
    static let networks = 4096

    private struct Failures {
        var bucket: TokenBucket
        var last: UInt64
    }

    private let state = Mutex<[NetworkPrefix: Failures]>([:])

    /// - Parameter now: monotonic nanoseconds.
    func areTooMany(from network: NetworkPrefix, now: UInt64) -> Bool {
        state.withLock { state in
            guard var failures = state[network] else { return false }
            let left = failures.bucket.available(now: now)
            state[network] = failures
            return left < 1
        }
    }

    /// - Parameter now: monotonic nanoseconds.
    func count(from network: NetworkPrefix, now: UInt64) {
        state.withLock { state in
            if state[network] == nil, state.count >= Self.networks { Self.forgetHalf(&state) }
            let full = TokenBucket(
                capacity: Double(Self.perMinute), perSecond: Double(Self.perMinute) / 60, now: now)
            _ = state[network, default: Failures(bucket: full, last: now)].bucket.take(now: now)
            state[network]?.last = now
        }
    }

    private static func forgetHalf(_ state: inout [NetworkPrefix: Failures]) {
        let oldest = state.sorted { $0.value.last < $1.value.last }.prefix(state.count / 2 + 1)
        for (network, _) in oldest { state[network] = nil }
    }
}
