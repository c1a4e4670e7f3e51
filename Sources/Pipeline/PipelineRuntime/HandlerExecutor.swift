internal import Dispatch

/// Where handlers run: the threads of a concurrent dispatch queue, which may be blocked. Dispatch adds threads while
/// others are blocked (up to 64), so a handler in SQLite or a file cannot starve Swift's cooperative pool, which has
/// one thread a core.
package final class HandlerExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "pipeline.handlers", attributes: .concurrent)

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
