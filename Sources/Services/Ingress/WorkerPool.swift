internal import Concurrency
internal import Dispatch
internal import Synchronization

/// A fixed set of threads that take items from one queue. Items dispatched together wake the threads once.
///
/// The queue has no bound of its own: whoever fills it holds a bounded number of places (the listener's `inFlight`).
final class WorkerPool<Item: Sendable>: Sendable {
    private struct State {
        var items = FIFO<Item>()
        var unannounced = 0
        /// Threads that have not ended.
        var running = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let available = DispatchSemaphore(value: 0)
    private let ended = Completion()
    private let count: Int

    /// Starts `count` threads, each of which calls `work` for one item at a time until `close`. An item that it returns
    /// is put at the end of the queue.
    init(count: Int, name: String, work: @escaping @Sendable (Item) -> Item?) {
        self.count = max(1, count)
        for number in 1...self.count {
            state.withLock { $0.running += 1 }
            let error = OwnThread.start(name: "\(name)-\(number)", stackBytes: 1 << 20) { [self] in
                while let item = next() {
                    if let again = work(item) {
                        add(again)
                        announce()
                    }
                }
                threadEnded()
            }
            if error != 0 { threadEnded() }
        }
    }

    private func threadEnded() {
        let isLast = state.withLock { state in
            state.running -= 1
            return state.running == 0
        }
        if isLast { ended.complete() }
    }

    /// Adds an item; the threads learn of it with `announce`.
    func add(_ item: Item) {
        state.withLock { state in
            state.items.append(item)
            state.unannounced += 1
        }
    }

    /// Wakes as many threads as there are items added since the last call.
    func announce() {
        let unannounced = state.withLock { state in
            defer { state.unannounced = 0 }
            return state.unannounced
        }
        for _ in 0..<unannounced { available.signal() }
    }

    /// Lets the threads finish what was added, and returns when all have ended.
    func close() async {
        announce()
        state.withLock { $0.isClosed = true }
        for _ in 0..<count { available.signal() }
        await ended.wait()
    }

    private func next() -> Item? {
        while true {
            available.wait()
            let (item, isClosed): (Item?, Bool) = state.withLock { state in
                guard let item = state.items.popFirst() else { return (nil, state.isClosed) }
                return (item, false)
            }
            if let item { return item }
            if isClosed { return nil }
        }
    }
}
