internal import Dispatch
internal import Foundation
internal import Synchronization

/// A fixed set of threads that take items from one queue. Items handed over together wake the threads once.
///
/// The queue has no bound of its own: whoever fills it holds a bounded number of places (the listener's `inFlight`).
final class WorkerPool<Item: Sendable>: Sendable {
    private struct State {
        /// Items before `head` are taken, and nil so that a body is not kept longer than its request.
        var items: [Item?] = []
        var head = 0
        var unannounced = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let available = DispatchSemaphore(value: 0)
    private let ended = DispatchGroup()
    private let count: Int

    /// Starts `count` threads, each of which calls `work` for one item at a time until `close`.
    init(count: Int, name: String, work: @escaping @Sendable (Item) -> Void) {
        self.count = max(1, count)
        for number in 1...self.count {
            ended.enter()
            let thread = Thread { [self] in
                while let item = next() { work(item) }
                ended.leave()
            }
            thread.name = "\(name)-\(number)"
            thread.stackSize = 1 << 20
            thread.start()
        }
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
        await withCheckedContinuation { continuation in
            ended.notify(queue: .global()) { continuation.resume() }
        }
    }

    private func next() -> Item? {
        while true {
            available.wait()
            let (item, isClosed): (Item?, Bool) = state.withLock { state in
                guard state.head < state.items.count else { return (nil, state.isClosed) }
                let item = state.items[state.head].take()
                state.head += 1
                if state.head == state.items.count {
                    state.items.removeAll(keepingCapacity: true)
                    state.head = 0
                } else if state.head >= 1024 {
                    state.items.removeFirst(state.head)
                    state.head = 0
                }
                return (item, false)
            }
            if let item { return item }
            if isClosed { return nil }
        }
    }
}
