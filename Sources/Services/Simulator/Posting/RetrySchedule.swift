package import AppStoreModel

/// When the App Store tries again after a failed attempt (Apple: "Responding to App Store Server Notifications").
package struct RetrySchedule: Sendable, Equatable {
    /// Each counted from the attempt before it.
    package let delays: [Duration]

    /// Version 2 in production: 1, 12, 24, 48 and 72 hours. Sandbox: none.
    ///
    /// - Parameter timeScale: how many times faster than the clock the hours pass, 1 or more.
    package init(environment: AppStoreEnvironment, timeScale: Int = 1) {
        let hours: [Int64] = environment == .production ? [1, 12, 24, 48, 72] : []
        delays = hours.map { .hours($0) / max(timeScale, 1) }
    }

    /// How long to wait after this attempt, counted from 1; `nil` when it was the last.
    package func delay(afterAttempt attempt: Int) -> Duration? {
        delays.indices.contains(attempt - 1) ? delays[attempt - 1] : nil
    }
}
