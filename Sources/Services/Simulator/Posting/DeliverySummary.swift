/// The outcome of a delivery.
package struct DeliverySummary: Sendable {
    /// Number of distinct planned notifications.
    package let notifications: Int
    /// Posts planned: the notifications and the duplicates.
    package let planned: Int
    /// Planned posts that were started.
    package internal(set) var posts = 0
    package internal(set) var duplicates = 0
    package internal(set) var late = 0
    /// Planned notifications that are never posted.
    package internal(set) var undelivered = 0
    /// HTTP requests, including retries.
    package internal(set) var attempts = 0
    package internal(set) var acknowledged = 0
    /// Failed attempts that were scheduled for a retry.
    package internal(set) var retried = 0
    /// Posts that failed at the last attempt of the schedule.
    package internal(set) var gaveUp = 0
    /// Failed posts that were still waiting for a retry when the delivery was interrupted.
    package internal(set) var abandoned = 0
    package internal(set) var isInterrupted = false
    /// Attempts by HTTP status or error code.
    package internal(set) var attemptsByOutcome: [String: Int] = [:]
    /// Time from the first post to the end.
    package internal(set) var elapsed = Duration.zero
    private var latencies: [Duration] = []

    init(notifications: Int, planned: Int) {
        self.notifications = notifications
        self.planned = planned
    }

    /// Whether every planned post was acknowledged, except for those that are never posted.
    package var isComplete: Bool { acknowledged + undelivered == planned }

    mutating func record(_ attempt: Attempt) {
        attempts += 1
        attemptsByOutcome[attempt.outcome.text, default: 0] += 1
        latencies.append(attempt.latency)
        guard attempt.number == 1 else { return }
        posts += 1
        if attempt.post.isDuplicate { duplicates += 1 }
        if attempt.post.isLate, !attempt.post.isDuplicate { late += 1 }
    }

    /// Attempt durations by percentile (nearest rank).
    package struct Latencies: Sendable {
        package let p50: Duration
        package let p99: Duration
        package let maximum: Duration
    }

    /// `nil` without an attempt.
    package var latency: Latencies? {
        let sorted = latencies.sorted()
        guard let maximum = sorted.last else { return nil }
        func percentile(_ percent: Int) -> Duration { sorted[(sorted.count * percent + 99) / 100 - 1] }
        return Latencies(p50: percentile(50), p99: percentile(99), maximum: maximum)
    }
}
