internal import Dispatch
internal import Primitives
internal import Synchronization

/// Dedicated threads for calls that block on disk I/O. Jobs start in submission order. Callers wait for their jobs, so
/// there are never more jobs than callers.
final class BlockingThreads: Sendable {
    typealias Job = @Sendable () -> Void

    /// The state shared by the threads. It does not reference the owner, so that the owner's deinit can end the
    /// threads.
    private final class Jobs: Sendable {
        let waiting = Mutex(FIFO<Job>())
        let available = DispatchSemaphore(value: 0)

        func run() {
            while true {
                available.wait()
                guard let job = waiting.withLock({ $0.popFirst() }) else { return }
                job()
            }
        }
    }

    private let jobs = Jobs()
    private let count: Int

    /// - Throws: ``ObjectStoreError`` with code `failed` if the system cannot create a thread.
    init(name: String, count: Int) throws(ObjectStoreError) {
        self.count = count
        for _ in 0..<count {
            let error = OwnThread.start(name: name) { [jobs] in jobs.run() }
            guard error == 0 else {
                throw ObjectStoreError(.failed, "cannot create thread \(name): error \(error); raise the process limit")
            }
        }
    }

    deinit {
        // Each signal without a job ends one thread.
        for _ in 0..<count { jobs.available.signal() }
    }

    func perform<Value: Sendable>(
        _ body: @escaping @Sendable () throws(ObjectStoreError) -> Value
    ) async throws(ObjectStoreError) -> Value {
        let result: Result<Value, ObjectStoreError> = await withCheckedContinuation { continuation in
            jobs.waiting.withLock { waiting in
                waiting.append {
                    do throws(ObjectStoreError) {
                        continuation.resume(returning: .success(try body()))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
            jobs.available.signal()
        }
        return try result.get()
    }
}
