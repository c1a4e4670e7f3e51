import PipelineRuntime
import Synchronization
import TestSupport
import Testing

@testable import KeyedState

/// Queries of many tasks, combined into a few requests.
@Suite(.timeLimit(.minutes(1))) struct BatchedQueriesTests {
    private struct Silent: Error {}

    @Test func `simultaneous queries share one request, with each key once`() async throws {
        let asked = Mutex<[Set<Int>]>([])
        let queries = BatchedQueries<Int, Int, Silent>(on: HandlerThreads.shared, unanswered: Silent()) {
            keys, answer in
            asked.withLock { $0.append(keys) }
            for key in keys { answer([key: .success(key * 2)]) }
        }
        let answers = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for key in 0..<100 {
                group.addTask { (key % 50, try await queries.answer(to: key % 50)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 100)
        #expect(answers.allSatisfy { $0.1 == $0.0 * 2 })
        // One request per query would be 100 requests. A busy machine may need a few.
        let requests = asked.withLock { $0 }
        #expect(requests.count < 25)
        #expect(requests.reduce(into: Set()) { $0.formUnion($1) } == Set(0..<50))
    }

    @Test func `a query without an answer fails, and the others succeed`() async throws {
        let queries = BatchedQueries<Int, Int, Silent>(on: HandlerThreads.shared, unanswered: Silent()) {
            keys, answer in
            answer(keys.contains(1) ? [1: .success(10)] : [:])
        }
        async let known = queries.answer(to: 1)
        async let missing: Void = { await #expect(throws: Silent.self) { try await queries.answer(to: 2) } }()
        #expect(try await known == 10)
        _ = await missing
    }

    @Test func `each answer is delivered as it arrives, before the request ends`() async throws {
        let gate = Gate()
        let queries = BatchedQueries<Int, Int, Silent>(on: HandlerThreads.shared, unanswered: Silent()) {
            keys, answer in
            answer([1: .success(1)])
            await gate.pass()
            answer([2: .success(2)])
        }
        async let late = queries.answer(to: 2)
        #expect(try await queries.answer(to: 1) == 1)
        gate.open()
        #expect(try await late == 2)
    }
}
