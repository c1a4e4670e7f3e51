internal import Dispatch
internal import FoundationEssentials
internal import Primitives
internal import Synchronization

/// The executor for handlers. It has dedicated threads, which handlers may block.
///
/// Swift tasks and Dispatch's concurrent queues share a pool with one thread per core, so a handler that blocks there
/// would delay commits, timers and all other tasks. This executor keeps one thread per core while handlers compute. If
/// a call has to wait for a few milliseconds because threads are blocked, the executor starts another thread, up to the
/// maximum. More computing threads than cores would only compete for the cores and use more memory.
package final class HandlerThreads: TaskExecutor {
    /// The executor shared by this process.
    package static let shared = HandlerThreads()

    private struct Job {
        let job: UnownedJob
        let enqueuedAt: Int64
    }

    private struct State {
        var jobs = FIFO<Job>()
        var threads = 0
        var idle = 0
        /// Whether the next check for long-waiting jobs is scheduled.
        var isWatched = false
    }

    /// The time, in nanoseconds, that a job may wait before another thread is started.
    private static let longestWait: Int64 = 5_000_000
    /// The time after which an idle thread above the minimum ends.
    private static let idleTime: DispatchTimeInterval = .seconds(30)

    private let minimum: Int
    private let maximum: Int
    /// The time, in nanoseconds, that a job may wait while all threads are computing. The wait is limited because a
    /// computation may never finish.
    private let longestWaitForProcessors: Int64
    private let state = Mutex(State())
    private let demand = ProcessorDemand()
    private let processorsWanted: @Sendable (ProcessorDemand, _ enough: Double) -> Double?
    /// Signalled once for each enqueued job.
    private let arrivals = DispatchSemaphore(value: 0)
    /// The queue for the checks. A serial queue has a dedicated thread, which runs even if all handler threads are
    /// blocked.
    private let watch = DispatchQueue(label: "pipeline.handlers.watch")

    /// - Parameters:
    ///   - minimum: the number of threads that are always available.
    ///   - maximum: the maximum number of threads; further calls wait.
    ///   - waitLimit: the time that a call may wait while all threads are computing.
    ///   - processorsWanted: returns the number of processors that the threads needed since the last call, or nil if
    ///     unknown.
    init(
        minimum: Int = ProcessInfo.processInfo.activeProcessorCount, maximum: Int = 64,
        waitLimit: Duration = .seconds(2),
        processorsWanted: @escaping @Sendable (ProcessorDemand, _ enough: Double) -> Double? = {
            $0.look(at: MonotonicClock.nanoseconds(), enough: $1)
        }
    ) {
        self.minimum = max(1, minimum)
        self.maximum = max(self.minimum, maximum)
        longestWaitForProcessors = waitLimit.clampedNanoseconds
        self.processorsWanted = processorsWanted
    }

    /// Starts the minimum number of threads.
    func begin() {
        let missing = state.withLock { state in
            defer { state.threads = max(state.threads, minimum) }
            return max(0, minimum - state.threads)
        }
        for _ in 0..<missing { start() }
    }

    /// The current number of threads.
    var threads: Int { state.withLock { $0.threads } }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = Job(job: UnownedJob(job), enqueuedAt: MonotonicClock.nanoseconds())
        let (mustStart, mustWatch) = state.withLock { state in
            state.jobs.append(job)
            let isShort = state.idle < state.jobs.count
            let mustStart = isShort && state.threads < minimum
            let mustWatch = isShort && !mustStart && !state.isWatched && state.threads < maximum
            if mustStart { state.threads += 1 }
            if mustWatch { state.isWatched = true }
            return (mustStart, mustWatch)
        }
        arrivals.signal()
        if mustStart { start() }
        if mustWatch {
            watch.async { [self] in
                // Start measuring processor demand.
                _ = processorsWanted(demand, 0)
                look()
            }
        }
    }

    /// Checks the oldest waiting job, and repeats until no job is waiting.
    private func look() {
        watch.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.longestWait))) { [self] in
            // If the threads leave at least half a core unused, one of them is blocked at least part of the time.
            let enough = Double(minimum) - 0.5
            let isBlocked = (processorsWanted(demand, enough) ?? 0) < enough
            let now = MonotonicClock.nanoseconds()
            let (isOver, mustStart) = state.withLock { state in
                guard let oldest = state.jobs.first, state.threads < maximum else {
                    state.isWatched = false
                    return (true, false)
                }
                let longest = isBlocked ? Self.longestWait : longestWaitForProcessors
                let mustStart = now - oldest.enqueuedAt >= longest
                if mustStart { state.threads += 1 }
                return (false, mustStart)
            }
            if mustStart { start() }
            if !isOver { look() }
        }
    }

    private func start() {
        let error = OwnThread.start(name: "handler") { [self] in
            CrashSignals.receiveOnThisThread()
            demand.enter()
            defer { demand.leave() }
            while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
        // The remaining threads continue, and a later job tries again to start one.
        if error != 0 { state.withLock { $0.threads -= 1 } }
    }

    /// Waits for a job. Returns nil when this thread is no longer needed.
    private func next() -> UnownedJob? {
        while true {
            state.withLock { $0.idle += 1 }
            let hasWaitedLong = arrivals.wait(timeout: .now() + Self.idleTime) == .timedOut
            let (job, mustEnd) = state.withLock { state -> (UnownedJob?, Bool) in
                state.idle -= 1
                if !hasWaitedLong { return (state.jobs.popFirst()?.job, false) }
                guard state.threads > minimum else { return (nil, false) }
                state.threads -= 1
                return (nil, true)
            }
            if let job { return job }
            if mustEnd { return nil }
        }
    }
}
