import Kafka
import KafkaTokens
import Synchronization
import Testing

@Suite struct TokenCacheTests {
    private final class World: Sendable {
        let now = Atomic<Int64>(0)
        let fetched = Atomic(0)
        let fails = Atomic(false)
    }

    private let world = World()

    private func cache() -> TokenCache {
        TokenCache(now: { [world] in world.now.load(ordering: .relaxed) }) { [world] () throws(KafkaTokenError) in
            if world.fails.load(ordering: .relaxed) { throw KafkaTokenError("no") }
            let number = world.fetched.add(1, ordering: .relaxed).newValue
            return KafkaToken(
                value: "\(number)", principal: "p", expiry: world.now.load(ordering: .relaxed) + 1000)
        }
    }

    @Test func `clients share a token for half of its lifetime`() async throws {
        let cache = cache()
        #expect(try await cache.token().value == "1")
        world.now.store(499, ordering: .relaxed)
        #expect(try await cache.token().value == "1")
        world.now.store(500, ordering: .relaxed)
        #expect(try await cache.token().value == "2")
    }

    @Test func `setting the clock back does not extend a token`() async throws {
        let cache = cache()
        _ = try await cache.token()
        world.now.store(-1, ordering: .relaxed)
        #expect(try await cache.token().value == "2")
    }

    @Test func `a failure is returned and not cached`() async throws {
        let cache = cache()
        world.fails.store(true, ordering: .relaxed)
        await #expect(throws: KafkaTokenError.self) { try await cache.token() }
        world.fails.store(false, ordering: .relaxed)
        #expect(try await cache.token().value == "1")
    }

    @Test func `concurrent requests share one query`() async throws {
        let cache = cache()
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await cache.token().value } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(values == ["1"])
    }
}
