import Foundation
import Kafka
import Synchronization
import TestSupport
import Testing

@testable import PipelineRuntime

struct KeyQueuesTests {
    private func record(_ offset: Int64, key: [UInt8]?) -> KafkaRecord {
        KafkaRecord(topic: "t", partition: 0, offset: KafkaOffset(rawValue: offset), key: key, value: nil)
    }

    @Test func `a record waits for those of its key and for no other`() {
        let queues = KeyQueues()
        #expect(queues.begin(record(0, key: [1])))
        #expect(!queues.begin(record(1, key: [1])))
        #expect(queues.begin(record(2, key: [2])))
        #expect(!queues.begin(record(3, key: [1])))
        #expect(queues.begin(record(4, key: nil)))
        #expect(queues.begin(record(5, key: nil)))
        #expect(queues.next(after: record(4, key: nil)) == nil)
        #expect(queues.next(after: record(0, key: [1]))?.offset == 1)
        #expect(queues.next(after: record(1, key: [1]))?.offset == 3)
        #expect(queues.next(after: record(3, key: [1])) == nil)
        #expect(queues.begin(record(6, key: [1])))
    }

    @Test func `permits come in the order in which they were asked for, many at once too`() async {
        let permits = Permits(2)
        #expect(await permits.acquire())
        let order = Journal()
        await withTaskGroup { group in
            group.addTask {
                #expect(await permits.acquire(2))
                order.note("both")
                permits.release(2)
            }
            _ = await eventually { permits.waiting == 1 }
            group.addTask {
                #expect(await permits.acquire())
                order.note("one")
                permits.release()
            }
            _ = await eventually { permits.waiting == 2 }
            permits.release()
        }
        #expect(order.entries == ["both", "one"])
    }

    @Test func `a cancelled wait for permits ends, and those behind it go on`() async {
        let permits = Permits(2)
        #expect(await permits.acquire())
        let large = Task { await permits.acquire(2) }
        _ = await eventually { permits.waiting == 1 }
        let small = Task { await permits.acquire() }
        _ = await eventually { permits.waiting == 2 }
        large.cancel()
        #expect(await !large.value)
        #expect(await small.value)
    }
}

struct HandlerThreadsTests {
    @Test func `handlers that block hold up neither each other nor the tasks of the process`() async throws {
        let threads = HandlerThreads(minimum: 1, maximum: 40)
        let blocked = Journal()
        let isOpen = DispatchGate()
        try await withThrowingTaskGroup { group in
            for _ in 0..<40 {
                group.addTask(executorPreference: threads) {
                    blocked.note("blocked")
                    isOpen.wait()
                }
            }
            // On Swift's pool, which has a thread for each core.
            defer { isOpen.open() }
            try await waitUntil { blocked.entries.count == 40 }
        }
        #expect(threads.threads <= 40)
    }

    @Test func `handlers that do not block need no thread more than there are cores`() async {
        let threads = HandlerThreads(minimum: 2, maximum: 64)
        await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask(executorPreference: threads) { _ = number.description.utf8.count }
            }
        }
        // One that was late may have cost a thread; a thread for each call is what must not be.
        #expect(threads.threads < 64)
    }
}

/// Blocks threads, not tasks.
private final class DispatchGate: Sendable {
    private let condition = NSCondition()
    private let isOpen = Mutex(false)

    func wait() {
        condition.lock()
        while !isOpen.withLock({ $0 }) { condition.wait() }
        condition.unlock()
    }

    func open() {
        condition.lock()
        isOpen.withLock { $0 = true }
        condition.broadcast()
        condition.unlock()
    }
}

/// What happened, in order.
final class Journal: Sendable {
    private let noted = Mutex<[String]>([])

    var entries: [String] { noted.withLock { $0 } }
    func note(_ entry: String) { noted.withLock { $0.append(entry) } }
}
