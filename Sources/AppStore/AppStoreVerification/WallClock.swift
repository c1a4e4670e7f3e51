internal import Foundation

/// The machine's clock, for the background checks only; verdicts get the present as an argument.
enum WallClock {
    /// Milliseconds since 1970.
    @Sendable static func milliseconds() -> Int64 {
        // Seconds since 1970 as a Double; far inside Int64 for any clock a machine can show.
        Int64(exactly: (Date().timeIntervalSince1970 * 1000).rounded(.down)) ?? 0
    }
}
