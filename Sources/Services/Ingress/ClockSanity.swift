internal import Synchronization
internal import Time

/// Whether the wall clock may be believed: certificates are judged by it, so a wrong clock must end in 503 and not in
/// a verdict.
///
/// Sane is a time from the day this version was made until ten years later that has not moved against the monotonic
/// clock by more than 60 seconds within a minute. Once the clock keeps pace with the monotonic one for a minute
/// at a sane time, it is believed again.
final class ClockSanity: Sendable {
    static let earliest = SystemClock.earliestPlausibleMilliseconds
    static let latest: Int64 = earliest + 3653 * 86_400_000

    private static let tolerance: Int64 = 60_000
    private static let minute: Int64 = 60_000

    private struct State {
        /// Wall minus monotonic, in milliseconds, at the last sound reading.
        var offset: Int64?
        var offsetAt: Int64 = 0
        var jumpedAt: Int64?
    }

    private let state = Mutex(State())

    /// Takes a reading of both clocks, in milliseconds, and says whether the wall clock is sane.
    func observe(wall: Int64, monotonic: Int64) -> Bool {
        state.withLock { state in
            let (offset, overflow) = wall.subtractingReportingOverflow(monotonic)
            guard !overflow else { return false }
            if let known = state.offset {
                let (drift, far) = offset.subtractingReportingOverflow(known)
                if far || drift > Self.tolerance || drift < -Self.tolerance {
                    state.jumpedAt = monotonic
                    state.offset = offset
                    state.offsetAt = monotonic
                } else if monotonic - state.offsetAt >= Self.minute {
                    state.offset = offset
                    state.offsetAt = monotonic
                }
            } else {
                state.offset = offset
                state.offsetAt = monotonic
            }
            if let jumpedAt = state.jumpedAt {
                if monotonic - jumpedAt < Self.minute { return false }
                state.jumpedAt = nil
            }
            return wall >= Self.earliest && wall <= Self.latest
        }
    }
}
