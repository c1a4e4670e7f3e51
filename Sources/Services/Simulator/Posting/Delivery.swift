/// Posts a plan: signs in advance, maintains the rate, limits the number of connections, and retries like the App
/// Store.
package struct Delivery<DeliveryClock: Clock & Sendable>: Sendable where DeliveryClock.Duration == Duration {
    package let plan: PostingPlan
    /// The retry schedule for each format. A format without one is not retried.
    package let schedules: [NotificationFormat: RetrySchedule]
    /// The maximum number of concurrent posts, at least 1.
    package let connections: Int
    /// The number of first attempts per second, or `nil` to post as fast as the connections allow.
    package let rate: Double?
    package let clock: DeliveryClock
    /// Creates and signs the notification for a post.
    package let sign: @Sendable (PlannedPost) throws -> SignedNotification
    /// Posts a body and waits for the response.
    package let post: @Sendable ([UInt8]) async -> PostOutcome

    package init(
        plan: PostingPlan, schedules: [NotificationFormat: RetrySchedule], connections: Int, rate: Double?,
        clock: DeliveryClock,
        sign: @escaping @Sendable (PlannedPost) throws -> SignedNotification,
        post: @escaping @Sendable ([UInt8]) async -> PostOutcome
    ) {
        self.plan = plan
        self.schedules = schedules
        self.connections = max(connections, 1)
        self.rate = rate
        self.clock = clock
        self.sign = sign
        self.post = post
    }

    /// The progress of a delivery.
    package struct Progress: Sendable {
        package let acknowledged: Int
        package let planned: Int
        package let inFlight: Int
        /// Number of failed posts that will be attempted again.
        package let waiting: Int
        /// The time until the next attempt, if nothing is in flight.
        package let nextAttemptIn: Duration?
    }

    /// Posts all notifications in the plan.
    ///
    /// - Parameters:
    ///   - interrupts: its first element stops the delivery, after the posts in flight have finished.
    ///   - onAttempt: called after every attempt.
    ///   - onUndelivered: called for every notification that the plan does not deliver.
    ///   - onProgress: called at most once every 5 seconds, and before a wait of 5 seconds or more.
    /// - Throws: the errors of `sign`. Failed posts are not errors; the summary counts them.
    package func run(
        interrupts: AsyncStream<String>, onAttempt: (Attempt) -> Void = { _ in },
        onUndelivered: (SignedNotification) -> Void = { _ in },
        onProgress: (Progress) -> Void = { _ in }
    ) async throws -> DeliverySummary {
        try await withThrowingTaskGroup(of: Event.self) { group in
            group.addTask {
                for await _ in interrupts { return .interrupted }
                return .interruptsEnded
            }
            var run = DeliveryRun(delivery: self)
            while true {
                run.signAhead(in: &group)
                switch run.queue.next(at: clock.now) {
                case .post(let job):
                    group.addTask { try await attempt(job) }
                    continue
                case .wait(let instant):
                    if let instant { run.setTimer(for: instant, in: &group) }
                    run.reportProgress(before: instant, to: onProgress)
                case .finished:
                    group.cancelAll()
                    return run.finish()
                }
                // The group is never empty here: signing, posting, timers and the wait for interrupts are its tasks.
                guard let event = try await group.next() else { return run.finish() }
                run.handle(event, onAttempt: onAttempt, onUndelivered: onUndelivered)
            }
        }
    }

    typealias Queue = DeliveryQueue<DeliveryClock.Instant>

    enum Event: Sendable {
        case signed(batch: Int, [(post: PlannedPost, notification: SignedNotification)])
        case attempted(Queue.Job, Attempt)
        case timer(DeliveryClock.Instant)
        case interrupted
        case interruptsEnded
    }

    private func attempt(_ job: Queue.Job) async throws -> Event {
        let notification = try job.notification ?? sign(job.post)
        let start = clock.now
        let outcome = await post(notification.body)
        let attempt = Attempt(
            post: job.post, notificationType: notification.notificationType, subtype: notification.subtype,
            notificationUUID: notification.notificationUUID,
            originalTransactionId: notification.originalTransactionId, key: notification.key, number: job.attempt,
            outcome: outcome, latency: start.duration(to: clock.now))
        return .attempted(job, attempt)
    }
}
