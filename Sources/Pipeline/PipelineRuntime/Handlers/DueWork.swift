internal import Primitives
internal import Synchronization

/// Runs jobs beside a handler, for stored rows in this member's partitions. There is at most one job per key.
///
/// Ownership of a partition ends only after its jobs have ended. No job begins while a partition is being revoked or
/// after the stop, and revocation and stop both wait for running jobs.
package final class DueWork<Key: Hashable & Sendable>: Sendable {
    /// How running jobs end when a partition is revoked or the work stops.
    package enum Ending: Sendable {
        /// Jobs are cancelled immediately, because their progress is saved.
        case cancelled
        /// Jobs are given time to finish; any that remain are then cancelled.
        case finished(within: Duration)
    }

    private struct Job {
        let number: Int
        let task: Task<Void, Never>
    }

    private struct Present {
        var jobs: [Key: Job] = [:]
        var begun = 0
        /// The number of partitions being revoked, plus one after the stop.
        var holds = 0
        /// Whether a partition has been revoked since the rows for the current check were read.
        var isOutdated = false
    }

    private let loop: DueLoop
    private let executor: any TaskExecutor
    private let sleep: @Sendable (Duration) async throws -> Void
    private let present = Mutex(Present())

    /// - Parameters:
    ///   - executor: runs the checks and the jobs.
    ///   - sleep: limits the wait for running jobs.
    ///   - pause: waits until the next regular check; throws if its task is cancelled.
    package init(
        on executor: any TaskExecutor = HandlerThreads.shared,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        pause: @escaping @Sendable () async throws -> Void
    ) {
        loop = DueLoop(pause: pause)
        self.executor = executor
        self.sleep = sleep
    }

    /// Requests a check, because work may be due.
    package func wake() { loop.wake() }

    /// Runs checks until ``stop(_:)`` is called or the task is cancelled. A check reads the rows that are due and then
    /// calls ``begin(_:)``.
    package func run(_ check: @escaping @Sendable () async -> Void) async {
        await withTaskExecutorPreference(executor) {
            await loop.run {
                present.withLock { $0.isOutdated = false }
                await check()
            }
        }
    }

    /// Begins the jobs for the rows read by the current check. Does nothing after the stop, while a partition is being
    /// revoked, or if one has been revoked since the rows were read.
    ///
    /// - Parameter plan: returns the jobs. It is called under a lock, so no partition is revoked in the meantime.
    package func begin(_ plan: () -> [(key: Key, job: @Sendable () async -> Void)]) {
        present.withLock { present in
            guard present.holds == 0, !present.isOutdated else { return }
            for (key, job) in plan() {
                present.begun += 1
                let number = present.begun
                let task = Task(executorPreference: executor) {
                    await job()
                    self.end(key, number)
                }
                present.jobs[key] = Job(number: number, task: task)
            }
        }
    }

    /// Cancels all jobs, or those whose keys satisfy the predicate.
    package func cancel(where isIncluded: (Key) -> Bool = { _ in true }) {
        for (key, job) in present.withLock(\.jobs) where isIncluded(key) { job.task.cancel() }
    }

    /// Ends all jobs before a partition is revoked.
    package func release(_ ending: Ending) async {
        present.withLock {
            $0.holds += 1
            $0.isOutdated = true
        }
        await end(ending)
        present.withLock { $0.holds -= 1 }
        wake()
    }

    /// Permanently ends all jobs and checks.
    package func stop(_ ending: Ending) async {
        present.withLock { $0.holds += 1 }
        loop.finish()
        await end(ending)
    }

    private func end(_ key: Key, _ number: Int) {
        present.withLock { present in
            // Another job for the same key may have begun after this job reported its end.
            if present.jobs[key]?.number == number { present.jobs[key] = nil }
        }
        wake()
    }

    private func end(_ ending: Ending) async {
        let jobs = present.withLock { $0.jobs.values.map(\.task) }
        guard !jobs.isEmpty else { return }
        guard case .finished(let limit) = ending else {
            for job in jobs { job.cancel() }
            for job in jobs { await job.value }
            return
        }
        await withTaskGroup { group in
            group.addTask { for job in jobs { await job.value } }
            group.addTask { [sleep] in
                // The sleep is cancelled if all jobs end earlier.
                if (try? await sleep(limit)) != nil { for job in jobs { job.cancel() } }
            }
            await group.next()
            group.cancelAll()
        }
    }
}
