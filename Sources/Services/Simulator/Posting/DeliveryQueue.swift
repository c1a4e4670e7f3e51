internal import Primitives

/// Decides the next action of a delivery. It paces the first attempts and keeps failed posts until they are due.
///
/// It has no clock and posts nothing. The delivery requests an action, performs it, and reports the outcome.
struct DeliveryQueue<Instant: InstantProtocol> where Instant.Duration == Duration {
    /// A post to attempt.
    struct Job: Sendable {
        let post: PlannedPost
        /// The notification, signed in advance for the first attempt, or nil for later attempts. Later attempts sign it
        /// again, because a post may wait for days.
        let notification: SignedNotification?
        /// The one-based number of the attempt.
        let attempt: Int
    }

    enum Action {
        case post(Job)
        /// There is nothing to do until this time or until an outcome is reported. If the time is nil, only an outcome
        /// ends the wait.
        case wait(until: Instant?)
        case finished
    }

    private let schedules: [NotificationFormat: RetrySchedule]
    private let connections: Int
    /// The number of first attempts per second, or `nil` if only the number of connections limits them.
    private let rate: Double?
    /// The time at which the first post is due. Nothing is posted before then.
    private var start: Instant?
    private var fresh = FIFO<Job>()
    private var freshIsComplete = false
    private var started = 0
    /// The failed posts, in one queue per retry delay. All posts in a queue wait equally long, so each queue is sorted
    /// by due time.
    private var failed: [Duration: FIFO<(due: Instant, post: PlannedPost, attempt: Int)>] = [:]
    private(set) var inFlight = 0
    private(set) var isStopped = false

    /// - Parameter schedules: the retry schedule for each posted format. A format without one is not retried.
    init(schedules: [NotificationFormat: RetrySchedule], connections: Int, rate: Double?) {
        self.schedules = schedules
        self.connections = connections
        self.rate = rate
        for delay in schedules.values.flatMap(\.delays) { failed[delay] = FIFO() }
    }

    /// Number of posts that are signed and waiting for their first attempt.
    var freshCount: Int { fresh.count }
    /// Number of posts waiting for another attempt.
    var retryCount: Int { failed.values.reduce(0) { $0 + $1.count } }
    var hasStarted: Bool { start != nil }

    mutating func begin(at instant: Instant) {
        start = instant
    }

    mutating func add(_ post: PlannedPost, _ notification: SignedNotification) {
        guard !isStopped else { return }
        fresh.append(Job(post: post, notification: notification, attempt: 1))
    }

    /// Notes that no more first attempts will be added.
    mutating func completeFresh() {
        freshIsComplete = true
    }

    /// Lets the posts in flight finish, and drops all others.
    ///
    /// - Returns: the number of failed posts that will not be attempted again.
    mutating func stop() -> Int {
        let dropped = retryCount
        isStopped = true
        freshIsComplete = true
        fresh.removeAll()
        for delay in failed.keys { failed[delay]?.removeAll() }
        return dropped
    }

    mutating func next(at now: Instant) -> Action {
        guard inFlight < connections else { return .wait(until: nil) }
        let earliest = failed.compactMap { delay, posts in posts.first.map { (delay: delay, due: $0.due) } }
            .min { ($0.due, $0.delay) < ($1.due, $1.delay) }
        let retryDue = earliest?.due
        if let earliest, earliest.due <= now, let retry = failed[earliest.delay]?.popFirst() {
            inFlight += 1
            return .post(Job(post: retry.post, notification: nil, attempt: retry.attempt))
        }
        let freshDue = dueOfFresh()
        if let freshDue, freshDue <= now, let job = fresh.popFirst() {
            inFlight += 1
            started += 1
            return .post(job)
        }
        if let due = [retryDue, freshDue].compactMap({ $0 }).min() { return .wait(until: due) }
        return inFlight == 0 && freshIsComplete && fresh.isEmpty ? .finished : .wait(until: nil)
    }

    private func dueOfFresh() -> Instant? {
        guard let start, !fresh.isEmpty else { return nil }
        guard let rate else { return start }
        return start.advanced(by: .seconds(Double(started) / rate))
    }

    enum Consequence {
        case acknowledged
        case retried
        case gaveUp
        case abandoned
    }

    /// Records the outcome of posting a job.
    mutating func finish(_ job: Job, _ outcome: PostOutcome, at now: Instant) -> Consequence {
        inFlight -= 1
        if outcome.isAcknowledged { return .acknowledged }
        guard let delay = schedules[job.post.format]?.delay(afterAttempt: job.attempt) else { return .gaveUp }
        guard !isStopped else { return .abandoned }
        failed[delay, default: FIFO()].append((now.advanced(by: delay), job.post, job.attempt + 1))
        return .retried
    }
}
