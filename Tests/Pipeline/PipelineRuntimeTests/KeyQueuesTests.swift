import Foundation
import Kafka
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import PipelineRuntime

struct KeyQueuesTests {
    private func record(_ offset: Int64, key: [UInt8]?) -> KafkaRecord {
        KafkaRecord(topic: "t", partition: 0, offset: KafkaOffset(rawValue: offset), key: key, value: nil)
    }

    @Test func `a record waits only for records with its key`() {
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

    @Test func `permits are granted in the order of requests, including requests for several`() async {
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

    @Test func `a cancelled wait for permits ends, and the waits behind it proceed`() async {
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
    @Test func `the minimum number of threads exists before the first call and is started once`() {
        let threads = HandlerThreads(minimum: 3, maximum: 8)
        threads.begin()
        threads.begin()
        #expect(threads.threads == 3)
    }

    @Test func `blocking handlers block neither each other nor the tasks of the process`() async throws {
        let threads = HandlerThreads(minimum: 1, maximum: 40)
        // The wait uses Swift's thread pool, which has one thread per core.
        try await block(40, on: threads) { begun in try await waitUntil { begun.entries.count == 40 } }
        #expect(threads.threads <= 40)
    }

    @Test func `a waiting call gets a new thread only if the others leave a core idle`() async throws {
        let looks = Mutex(0)
        let wanted = Mutex(2.0)
        let threads = HandlerThreads(minimum: 2, maximum: 3, waitLimit: .seconds(3600)) { _, _ in
            looks.withLock { $0 += 1 }
            return wanted.withLock { $0 }
        }
        try await block(3, on: threads) { begun in
            try await waitUntil { looks.withLock { $0 } >= 10 }
            #expect(threads.threads == 2)
            wanted.withLock { $0 = 1 }
            try await waitUntil { begun.entries.count == 3 }
        }
        #expect(threads.threads == 3)
    }

    /// Runs handlers that record their start and block until `body` returns.
    private func block(
        _ count: Int, on threads: HandlerThreads, _ body: (_ begun: Journal) async throws -> Void
    ) async throws {
        let begun = Journal()
        let isOpen = DispatchGate()
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask(executorPreference: threads) {
                    begun.note("begun")
                    isOpen.wait()
                }
            }
            defer { isOpen.open() }
            try await body(begun)
        }
    }

    @Test func `a computing thread demands a processor, and a blocked thread does not`() async throws {
        let demand = ProcessorDemand()
        let isOpen = DispatchGate()
        let isOver = Atomic(false)
        let ended = Journal()
        for body in [{ isOpen.wait() }, { while !isOver.load(ordering: .relaxed) {} }] as [@Sendable () -> Void] {
            let begun = Journal()
            _ = OwnThread.start(name: "demand") {
                demand.enter()
                begun.note("begun")
                body()
                demand.leave()
                ended.note("ended")
            }
            try await waitUntil { !begun.entries.isEmpty }
        }
        func look() async throws -> Double {
            let start = MonotonicClock.nanoseconds()
            _ = demand.look(at: start, enough: 0)
            try await waitUntil { MonotonicClock.nanoseconds() - start > 20_000_000 }
            return try #require(demand.look(at: MonotonicClock.nanoseconds(), enough: 0.5))
        }
        // Waits until the first thread is blocked.
        try await waitUntil { (0.8...1.2).contains(try await look()) }
        isOver.store(true, ordering: .relaxed)
        isOpen.open()
        try await waitUntil { ended.entries.count == 2 }
        #expect(demand.look(at: MonotonicClock.nanoseconds(), enough: 1) == 0)
    }
}

/// Records events in order.
final class Journal: Sendable {
    private let noted = Mutex<[String]>([])

    var entries: [String] { noted.withLock { $0 } }
    func note(_ entry: String) { noted.withLock { $0.append(entry) } }
}
