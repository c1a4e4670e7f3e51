import Foundation
import Synchronization
import Testing

@testable import Ingress

@Suite(.timeLimit(.minutes(5))) struct WorkerPoolTests {
    @Test(arguments: [1, 2, 8]) func `every item is processed once`(threads: Int) async {
        let seen = Mutex<[Int]>([])
        let pool = WorkerPool<Int>(count: threads, atOnce: 3, name: "test") { items in
            seen.withLock { $0 += items }
            return []
        }
        for item in 0..<5_000 {
            pool.add(item)
            if item % 7 == 0 { pool.announce() }
        }
        await pool.close()
        #expect(seen.withLock { $0.sorted() } == Array(0..<5_000))
    }

    @Test func `an unfinished item is processed again after the others`() async {
        let seen = Mutex<[Int]>([])
        let pool = WorkerPool<Int>(count: 1, name: "test") { items in
            seen.withLock { $0 += items }
            return items.contains(2) ? [20] : []
        }
        for item in 1...5 { pool.add(item) }
        await pool.close()
        #expect(seen.withLock { $0 } == [1, 2, 3, 4, 5, 20])
    }

    @Test func `items are processed in the order in which they were added`() async {
        let seen = Mutex<[Int]>([])
        let pool = WorkerPool<Int>(count: 1, name: "test") { items in
            seen.withLock { $0 += items }
            return []
        }
        for item in 0..<3_000 { pool.add(item) }
        await pool.close()
        #expect(seen.withLock { $0 } == Array(0..<3_000))
    }

    @Test func `a call receives all waiting items up to its limit`() async {
        let calls = Mutex<[[Int]]>([])
        let pool = WorkerPool<Int>(count: 1, atOnce: 4, name: "test") { items in
            calls.withLock { $0.append(items) }
            return []
        }
        for item in 1...10 { pool.add(item) }
        await pool.close()
        #expect(calls.withLock { $0 } == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]])
    }

    @Test func `an unannounced item waits and is processed together with the next announced one`() async {
        let calls = Mutex<[[Int]]>([])
        let (begun, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let pool = WorkerPool<Int>(count: 1, atOnce: 4, name: "test") { items in
            calls.withLock { $0.append(items) }
            begun.signal()
            release.wait()
            return []
        }
        pool.add(1)
        pool.announce()
        begun.wait()
        pool.add(2)
        release.signal()
        pool.add(3)
        pool.announce()
        begun.wait()
        release.signal()
        await pool.close()
        #expect(calls.withLock { $0 } == [[1], [2, 3]])
    }

    @Test func `closing waits for items in progress`() async {
        let isDone = Mutex(false)
        let begun = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        let pool = WorkerPool<Int>(count: 2, name: "test") { _ in
            begun.signal()
            release.wait()
            isDone.withLock { $0 = true }
            return []
        }
        pool.add(1)
        pool.announce()
        let closed = Task {
            await pool.close()
            return isDone.withLock { $0 }
        }
        release.signal()
        #expect(await closed.value)
        #expect(begun.wait(timeout: .now()) == .success)
    }

    @Test func `an item is released after it is processed`() async {
        final class Body: Sendable {}
        let pool = WorkerPool<Body>(count: 1, name: "test") { _ in [] }
        weak var kept: Body?
        do {
            let body = Body()
            kept = body
            pool.add(body)
        }
        await pool.close()
        #expect(kept == nil)
    }

    @Test func `a pool without work closes immediately`() async {
        await WorkerPool<Int>(count: 4, name: "test") { _ in [] }.close()
    }
}
