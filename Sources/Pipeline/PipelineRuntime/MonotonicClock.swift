internal import Primitives
internal import Telemetry

/// The system's monotonic clock.
enum MonotonicClock {
    /// The number of nanoseconds since an arbitrary instant in the past.
    static func nanoseconds() -> Int64 { Int64(clamping: Clocks.system.monotonicNanoseconds()) }
}
