internal import Telemetry
internal import Time

/// Monotonic time of the system.
enum MonotonicClock {
    /// Nanoseconds since some instant of the past.
    static func nanoseconds() -> Int64 { Int64(clamping: Clocks.system.monotonicNanoseconds()) }
}
