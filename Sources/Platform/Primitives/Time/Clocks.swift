internal import Glibc

/// A process's two clocks, as closures that tests can replace.
package struct Clocks: Sendable {
    /// Returns the wall-clock time in milliseconds since 1970.
    package var wallMilliseconds: @Sendable () -> Int64
    /// Returns nanoseconds since an arbitrary instant; never decreases.
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
        wallMilliseconds: SystemClock.wallMilliseconds, monotonicNanoseconds: SystemClock.monotonicNanoseconds)
}

/// Direct access to the system's clocks, for default arguments and code without injected clocks.
package enum SystemClock {
    /// 2026-11-01T00:00:00Z in milliseconds since 1970. A wall clock with an earlier time is wrong, because this code
    /// is newer.
    package static let earliestPlausibleMilliseconds: Int64 = 1_793_491_200_000

    /// Returns the wall-clock time in milliseconds since 1970.
    @Sendable package static func wallMilliseconds() -> Int64 {
        let time = read(CLOCK_REALTIME)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }

    /// Returns the wall-clock time in nanoseconds since 1970.
    @Sendable package static func wallNanoseconds() -> UInt64 {
        let time = read(CLOCK_REALTIME)
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
    }

    /// Returns nanoseconds since an arbitrary instant; never decreases.
    @Sendable package static func monotonicNanoseconds() -> UInt64 {
        let time = read(CLOCK_MONOTONIC)
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
