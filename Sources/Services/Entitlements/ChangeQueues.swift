internal import Primitives
internal import Synchronization

/// Accepted changes of purchases. The changes of one purchase are handled one at a time, in order of arrival, because
/// each depends on the owner that the previous one determined. Changes of different purchases are handled concurrently,
/// so a partition without a leader delays only the changes of its own purchases.
final class ChangeQueues<Change: Sendable>: Sendable {
    private struct State {
        /// The number of changes that are waiting or being handled.
        var count = 0
        /// The waiting changes by purchase. A purchase is present while one of its changes is being handled.
        var waiting: [[UInt8]: FIFO<Change>] = [:]
    }

    /// A change of a purchase without an earlier change that is waiting or being handled.
    private struct First: Sendable {
        let key: [UInt8]
        let change: Change
    }

    private let maximum: Int
    private let state = Mutex(State())
    private let firsts: AsyncStream<First>
    private let incoming: AsyncStream<First>.Continuation

    /// - Parameter maximum: the maximum number of changes that are waiting or being handled.
    init(atMost maximum: Int) {
        self.maximum = maximum
        (firsts, incoming) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(maximum))
    }

    /// - Parameter key: the key of the purchase.
    /// - Returns: false if too many changes are waiting or being handled.
    func enqueue(_ change: Change, key: [UInt8]) -> Bool {
        let isFirst: Bool? = state.withLock { state in
            guard state.count < maximum else { return nil }
            state.count += 1
            guard state.waiting[key] == nil else {
                state.waiting[key]?.append(change)
                return false
            }
            state.waiting[key] = FIFO()
            return true
        }
        guard let isFirst else { return false }
        if isFirst { incoming.yield(First(key: key, change: change)) }
        return true
    }

    /// Handles changes until the task is cancelled. Called once.
    func run(_ handle: @escaping @Sendable (Change) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for await first in firsts {
                group.addTask { [self] in
                    var next: Change? = first.change
                    while let change = next, !Task.isCancelled {
                        await handle(change)
                        next = finishChange(of: first.key)
                    }
                }
            }
        }
    }

    /// Returns the next waiting change of a purchase after one has been handled; nil if none is waiting.
    private func finishChange(of key: [UInt8]) -> Change? {
        state.withLock { state in
            state.count -= 1
            if let next = state.waiting[key]?.popFirst() { return next }
            state.waiting[key] = nil
            return nil
        }
    }
}
