internal import FoundationEssentials

/// The state of a running delivery, used by a single task.
struct DeliveryRun<DeliveryClock: Clock & Sendable> where DeliveryClock.Duration == Duration {
    typealias Event = Delivery<DeliveryClock>.Event

    let delivery: Delivery<DeliveryClock>
    var queue: DeliveryQueue<DeliveryClock.Instant>
    private var summary: DeliverySummary
    private var plan: PostingPlan
    private var planIsExhausted = false

    /// Maximum number of posts signed in advance, chosen so that signing does not limit the rate and bodies do not fill
    /// up memory.
    private let signedAhead: Int
    private let signers: Int
    private static var batchSize: Int { 32 }
    private var batchesBegun = 0
    private var batchesAdded = 0
    /// Signed batches that wait for an earlier batch to be signed, by batch number.
    private var waitingBatches: [Int: [(post: PlannedPost, notification: SignedNotification)]] = [:]

    private var timer: DeliveryClock.Instant?
    private var start: DeliveryClock.Instant
    private var lastProgress: DeliveryClock.Instant

    init(delivery: Delivery<DeliveryClock>) {
        self.delivery = delivery
        plan = delivery.plan
        queue = DeliveryQueue(
            schedules: delivery.schedules, connections: delivery.connections, rate: delivery.rate)
        summary = DeliverySummary(notifications: plan.count, planned: plan.count + plan.duplicates)
        signedAhead = Int(min(max((delivery.rate ?? 0) * 2, 512), 4096))
        signers = max(1, ProcessInfo.processInfo.activeProcessorCount)
        start = delivery.clock.now
        lastProgress = start
    }

    /// Signs the next posts if too few are ready, and starts posting once enough are.
    mutating func signAhead(in group: inout ThrowingTaskGroup<Event, any Error>) {
        while !planIsExhausted, !queue.isStopped, batchesBegun - batchesAdded < signers,
            queue.freshCount + (batchesBegun - batchesAdded) * Self.batchSize < signedAhead
        {
            var posts: [PlannedPost] = []
            while posts.count < Self.batchSize, let post = plan.next() { posts.append(post) }
            guard !posts.isEmpty else {
                planIsExhausted = true
                break
            }
            let (batch, sign) = (batchesBegun, delivery.sign)
            batchesBegun += 1
            group.addTask { .signed(batch: batch, try posts.map { ($0, try sign($0)) }) }
        }
        if planIsExhausted, batchesAdded == batchesBegun { queue.completeFresh() }
        let isReady = queue.freshCount + Self.batchSize > signedAhead || planIsExhausted && batchesAdded == batchesBegun
        if !queue.hasStarted, isReady {
            start = delivery.clock.now
            lastProgress = start
            queue.begin(at: start)
        }
    }

    mutating func handle(
        _ event: Event, onAttempt: (Attempt) -> Void, onUndelivered: (SignedNotification) -> Void
    ) {
        switch event {
        case .signed(let batch, let posts):
            waitingBatches[batch] = posts
            while let next = waitingBatches.removeValue(forKey: batchesAdded) {
                for (post, notification) in next {
                    guard post.isUndelivered else {
                        queue.add(post, notification)
                        continue
                    }
                    summary.undelivered += 1
                    onUndelivered(notification)
                }
                batchesAdded += 1
            }
        case .attempted(let job, let attempt):
            summary.record(attempt)
            switch queue.finish(job, attempt.outcome, at: delivery.clock.now) {
            case .acknowledged: summary.acknowledged += 1
            case .retried: summary.retried += 1
            case .gaveUp: summary.gaveUp += 1
            case .abandoned: summary.abandoned += 1
            }
            onAttempt(attempt)
        case .timer(let instant):
            if timer == instant { timer = nil }
        case .interrupted:
            summary.isInterrupted = true
            summary.abandoned += queue.stop()
        case .interruptsEnded:
            break
        }
    }

    /// Sets a timer that wakes the run at the given time, unless a timer is already set for an earlier time.
    mutating func setTimer(
        for instant: DeliveryClock.Instant, in group: inout ThrowingTaskGroup<Event, any Error>
    ) {
        if let timer, timer <= instant { return }
        timer = instant
        let clock = delivery.clock
        group.addTask {
            // The timer is cancelled when the run ends, and nothing awaits it then.
            try? await clock.sleep(until: instant, tolerance: nil)
            return .timer(instant)
        }
    }

    mutating func reportProgress(
        before wake: DeliveryClock.Instant?, to onProgress: (Delivery<DeliveryClock>.Progress) -> Void
    ) {
        let now = delivery.clock.now
        let wait = queue.inFlight == 0 ? wake.map { now.duration(to: $0) } : nil
        let isLongWait = wait.map { $0 >= .seconds(5) } ?? false
        guard queue.hasStarted, lastProgress.duration(to: now) >= .seconds(5) || isLongWait else { return }
        lastProgress = now
        onProgress(
            Delivery.Progress(
                acknowledged: summary.acknowledged, planned: summary.planned, inFlight: queue.inFlight,
                waiting: queue.retryCount, nextAttemptIn: isLongWait ? wait : nil))
    }

    func finish() -> DeliverySummary {
        var summary = summary
        summary.elapsed = start.duration(to: delivery.clock.now)
        return summary
    }
}
