import Glibc

/// Runs the jobs of one simulated process on the thread of the simulation, one job per call.
final class StepExecutor: TaskExecutor, @unchecked Sendable {
    // @unchecked Sendable because only the simulation's thread uses it, which `enqueue` checks.
    private var jobs: [UnownedJob] = []
    private var head = 0
    private let thread = pthread_self()

    var isIdle: Bool { head == jobs.count }

    func enqueue(_ job: consuming ExecutorJob) {
        precondition(pthread_equal(thread, pthread_self()) != 0, "a simulated task was resumed by another thread")
        jobs.append(UnownedJob(job))
    }

    /// Runs the job that has waited longest.
    func runNext() {
        guard head < jobs.count else { return }
        let job = jobs[head]
        head += 1
        if head == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            head = 0
        }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Runs jobs until none is left.
    func drain() { while !isIdle { runNext() } }
}
