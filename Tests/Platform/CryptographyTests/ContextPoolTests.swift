import Synchronization
import Testing

@testable import Cryptography

/// The contexts in these tests are just numbers, which are never dereferenced.
@Suite struct ContextPoolTests {
    private let freed = FreedContexts()
    private let pool: ContextPool

    init() {
        pool = ContextPool { [freed] in freed.add($0) }
    }

    private func context(_ number: Int) throws -> ContextPool.Context {
        ContextPool.Context(raw: try #require(OpaquePointer(bitPattern: number)))
    }

    @Test func `a released context is reused and has one user at a time`() throws {
        #expect(pool.take() == nil)
        pool.giveBack(try context(1))
        #expect(pool.take()?.raw == OpaquePointer(bitPattern: 1))
        #expect(pool.take() == nil)
        #expect(freed.numbers == [])
    }

    @Test func `contexts beyond the capacity are freed`() throws {
        for number in 1...ContextPool.capacity + 2 { pool.giveBack(try context(number)) }
        #expect(freed.numbers == [ContextPool.capacity + 1, ContextPool.capacity + 2])
    }

    @Test func `releasing the pool frees the contexts in it`() throws {
        let freed = FreedContexts()
        do {
            let pool = ContextPool { freed.add($0) }
            pool.giveBack(try context(1))
            pool.giveBack(try context(2))
            _ = pool.take()
            withExtendedLifetime(pool) {}
        }
        #expect(freed.numbers == [1])
    }
}

private final class FreedContexts: Sendable {
    private let values = Mutex<[Int]>([])
    var numbers: [Int] { values.withLock { $0 } }
    func add(_ context: OpaquePointer) { values.withLock { $0.append(Int(bitPattern: context)) } }
}
