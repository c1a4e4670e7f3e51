package import AppStoreModel

/// The App Store's retries after a failed attempt (Apple: "Responding to App Store Server Notifications").
package struct RetrySchedule: Sendable, Equatable {
    /// The delays, each measured from the previous attempt.
    package let delays: [Duration]

    /// Creates the schedule for a format. In production, version 2 is retried after 1, 12, 24, 48 and 72 hours, and
    /// version 1 after 6, 24 and 48 hours. In the sandbox, nothing is retried.
    ///
    /// For the oldest format, Apple documents only that there are several attempts; version 1's delays are used.
    ///
    /// - Parameter timeScale: the factor by which delays are shortened, at least 1.
    package init(environment: AppStoreEnvironment, format: NotificationFormat = .v2, timeScale: Int = 1) {
        let production: [Int64] = format == .v2 ? [1, 12, 24, 48, 72] : [6, 24, 48]
        let hours = environment == .production ? production : []
        delays = hours.map { .hours($0) / max(timeScale, 1) }
    }

    /// Returns the delay after an attempt with this one-based number, or `nil` if it was the last attempt.
    package func delay(afterAttempt attempt: Int) -> Duration? {
        delays.indices.contains(attempt - 1) ? delays[attempt - 1] : nil
    }
}
