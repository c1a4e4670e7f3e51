/// The outcome of a delivery.
package struct DeliverySummary: Sendable {
    /// Number of distinct notifications in the plan.
    package let notifications: Int
    /// Number of planned posts: notifications and duplicates.
    package let planned: Int
    /// Number of planned posts that were started.
    package internal(set) var posts = 0
    package internal(set) var duplicates = 0
    package internal(set) var late = 0
    /// Number of planned notifications that are never posted.
    package internal(set) var undelivered = 0
    /// Number of HTTP requests, including retries.
    package internal(set) var attempts = 0
    package internal(set) var acknowledged = 0
    /// Number of failed attempts that were scheduled for a retry.
    package internal(set) var retried = 0
    /// Number of posts that failed on the last attempt in the schedule.
    package internal(set) var gaveUp = 0
    /// Number of failed posts that were still waiting for a retry when the delivery was interrupted.
    package internal(set) var abandoned = 0
    package internal(set) var isInterrupted = false
    /// Number of attempts by HTTP status or error code.
    package internal(set) var attemptsByOutcome: [String: Int] = [:]
    /// The time from the first post to the end of the delivery.
    package internal(set) var elapsed = Duration.zero
    private var latencies: [Duration] = []

    init(notifications: Int, planned: Int) {
        self.notifications = notifications
        self.planned = planned
    }

    /// Whether every planned post was acknowledged, not counting undelivered notifications.
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

    /// Percentiles of the attempt durations, by the nearest-rank method.
    package struct Latencies: Sendable {
        package let p50: Duration
        package let p99: Duration
        package let maximum: Duration
    }

    /// The latencies, or `nil` if there were no attempts.
    package var latency: Latencies? {
        let sorted = latencies.sorted()
        guard let maximum = sorted.last else { return nil }
        func percentile(_ percent: Int) -> Duration { sorted[(sorted.count * percent + 99) / 100 - 1] }
        return Latencies(p50: percentile(50), p99: percentile(99), maximum: maximum)
    }
}
