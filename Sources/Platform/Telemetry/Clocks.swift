internal import Glibc

/// The two clocks of a process, as closures so that tests can move them.
package struct Clocks: Sendable {
    /// Milliseconds since 1970, by the wall clock.
    package var wallMilliseconds: @Sendable () -> Int64
    /// Nanoseconds since some instant of the past; never goes back.
    package var monotonicNanoseconds: @Sendable () -> UInt64

    package init(
        wallMilliseconds: @escaping @Sendable () -> Int64, monotonicNanoseconds: @escaping @Sendable () -> UInt64
    ) {
        self.wallMilliseconds = wallMilliseconds
        self.monotonicNanoseconds = monotonicNanoseconds
    }

    package func monotonicMilliseconds() -> Int64 { Int64(clamping: monotonicNanoseconds() / 1_000_000) }

    /// The system's clocks.
    package static let system = Clocks(
        wallMilliseconds: Logger.wallClockMilliseconds,
        monotonicNanoseconds: {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
        })
}
