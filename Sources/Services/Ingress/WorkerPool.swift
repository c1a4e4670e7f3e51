internal import Dispatch
internal import Primitives
internal import Synchronization

/// A fixed set of threads that process items from one queue, several at a time if many are waiting. Items dispatched
/// together wake the threads only once.
///
/// The queue is unbounded, but each item requires one of a limited number of slots (the listener's `inFlight`).
final class WorkerPool<Item: Sendable>: Sendable {
    private struct State {
        var items = FIFO<Item>()
        /// The number of items at the end of the queue that have not been announced yet. They are processed with the
        /// items that follow.
        var unannounced = 0
        /// The number of threads that are waiting or about to wait and have not been woken.
        var idle = 0
        /// The number of threads that have not ended.
        var running = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Signalled once for each idle thread that is woken.
    private let woken = DispatchSemaphore(value: 0)
    private let ended = Completion()
    private let count: Int
    private let atOnce: Int

    /// Starts `count` threads that call `work` until `close` is called. Items that `work` returns are appended to the
    /// queue.
    ///
    /// - Parameter atOnce: the maximum number of items per call. One thread is woken for every `atOnce` items, because
    ///   waking a thread costs as much as processing a few items.
    init(count: Int, atOnce: Int = 1, name: String, work: @escaping @Sendable ([Item]) -> [Item]) {
        self.count = max(1, count)
        self.atOnce = max(1, atOnce)
        for number in 1...self.count {
            state.withLock { $0.running += 1 }
            let error = OwnThread.start(name: "\(name)-\(number)", stackBytes: 1 << 20) { [self] in
                while let items = next() {
                    let again = work(items)
                    guard !again.isEmpty else { continue }
                    for item in again { add(item) }
                    announce()
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

    /// Adds an item. The threads see it after the next call to `announce`.
    func add(_ item: Item) {
        state.withLock { state in
            state.items.append(item)
            state.unannounced += 1
        }
    }

    /// Wakes idle threads for the items added since the last call. Busy threads pick up items when they finish their
    /// current ones.
    func announce() {
        wake { state in
            state.unannounced = 0
            return (state.items.count + atOnce - 1) / atOnce
        }
    }

    /// Lets the threads process all remaining items. Returns after all threads have ended.
    func close() async {
        wake { state in
            state.isClosed = true
            state.unannounced = 0
            return count
        }
        await ended.wait()
    }

    private func wake(_ wanted: (inout State) -> Int) {
        let number = state.withLock { state in
            let number = min(wanted(&state), state.idle)
            state.idle -= number
            return number
        }
        for _ in 0..<number { woken.signal() }
    }

    private enum Next {
        case work([Item])
        case wait
        case end
    }

    private func next() -> [Item]? {
        while true {
            let next: Next = state.withLock { state in
                let number = min(atOnce, state.items.count - state.unannounced)
                guard number > 0 else {
                    if state.isClosed { return .end }
                    state.idle += 1
                    return .wait
                }
                var items: [Item] = []
                items.reserveCapacity(number)
                while items.count < number, let item = state.items.popFirst() { items.append(item) }
                return .work(items)
            }
            switch next {
            case .work(let items): return items
            case .wait: woken.wait()
            case .end: return nil
            }
        }
    }
}
