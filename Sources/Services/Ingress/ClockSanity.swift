internal import Primitives
internal import Synchronization

/// Checks whether the wall clock is plausible. Certificates are checked against it, so a wrong clock must cause a 503
/// rather than a verdict.
///
/// A time is plausible if it is within ten years after ``earliest`` (a date before this code was written) and the wall
/// clock has not drifted from the monotonic clock by more than 60 seconds within a minute. After a jump, the wall clock
/// is trusted again once its time is plausible and it has kept pace with the monotonic clock for a minute.
final class ClockSanity: Sendable {
    static let earliest = SystemClock.earliestPlausibleMilliseconds
    static let latest: Int64 = earliest + 3653 * 86_400_000

    private static let tolerance: Int64 = 60_000
    private static let minute: Int64 = 60_000

    private struct State {
        /// Wall time minus monotonic time, in milliseconds, at `offsetAt`; nil before the first reading.
        var offset: Int64?
        var offsetAt: Int64 = 0
        var jumpedAt: Int64?
    }

    private let state = Mutex(State())

    /// Records a reading of both clocks, in milliseconds, and returns whether the wall clock is plausible.
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
