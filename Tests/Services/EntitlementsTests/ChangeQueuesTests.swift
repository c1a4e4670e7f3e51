import Synchronization
import TestSupport
import Testing

@testable import Entitlements

/// The order of claims and erasures.
@Suite(.timeLimit(.minutes(1))) struct ChangeQueuesTests {
    /// The changes that were handled, in order.
    private final class Changes: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }

        func append(_ name: String) { names.withLock { $0.append(name) } }
    }

    @Test func `a change that is not acknowledged delays only later changes of its purchase`() async throws {
        let queues = ChangeQueues<String>(atMost: 8)
        let (changes, gate) = (Changes(), Gate())
        let running = Task {
            await queues.run { change in
                if change == "a1" { await gate.pass() }
                changes.append(change)
            }
        }
        #expect(queues.enqueue("a1", key: [1]))
        #expect(queues.enqueue("a2", key: [1]))
        #expect(queues.enqueue("b1", key: [2]))
        try await waitUntil { changes.all == ["b1"] }
        gate.open()
        try await waitUntil { changes.all == ["b1", "a1", "a2"] }
        #expect(queues.enqueue("a3", key: [1]))
        try await waitUntil { changes.all.last == "a3" }
        running.cancel()
        await running.value
    }

    @Test func `waiting changes and changes being handled are limited together`() async throws {
        let queues = ChangeQueues<String>(atMost: 2)
        let (changes, gate) = (Changes(), Gate())
        let running = Task {
            await queues.run { change in
                await gate.pass()
                changes.append(change)
            }
        }
        #expect(queues.enqueue("a1", key: [1]))
        #expect(queues.enqueue("a2", key: [1]))
        #expect(!queues.enqueue("b1", key: [2]))
        gate.open()
        try await waitUntil { changes.all == ["a1", "a2"] }
        try await waitUntil { queues.enqueue("b1", key: [2]) }
        try await waitUntil { changes.all == ["a1", "a2", "b1"] }
        running.cancel()
        await running.value
    }
}
