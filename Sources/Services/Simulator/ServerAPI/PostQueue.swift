internal import Dispatch
internal import Primitives
internal import Synchronization

/// Posts a limited number of notifications concurrently. The others wait in an unbounded queue.
final class PostQueue: Sendable {
    private struct Job: Sendable {
        let body: [UInt8]
        let ended: @Sendable (PostOutcome) -> Void
    }

    private struct State {
        var underWay = 0
        var waiting = FIFO<Job>()
    }

    private let limit: Int
    private let send: SimulatedServerAPI.Post
    private let state = Mutex(State())

    /// - Parameter limit: maximum number of concurrent posts, at least 1.
    init(limit: Int, send: @escaping SimulatedServerAPI.Post) {
        self.limit = max(1, limit)
        self.send = send
    }

    func post(_ body: [UInt8], _ ended: @escaping @Sendable (PostOutcome) -> Void) {
        let job = Job(body: body, ended: ended)
        let starts = state.withLock { state in
            guard state.underWay < limit else {
                state.waiting.append(job)
                return false
            }
            state.underWay += 1
            return true
        }
        if starts { start(job) }
    }

    private func start(_ job: Job) {
        send(job.body) { [self] outcome in
            job.ended(outcome)
            let next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.underWay -= 1 }
                return next
            }
            // `start` is not called directly. If sends failed immediately, each waiting post would add a level of
            // recursion.
            if let next { DispatchQueue.global().async { self.start(next) } }
        }
    }
}
