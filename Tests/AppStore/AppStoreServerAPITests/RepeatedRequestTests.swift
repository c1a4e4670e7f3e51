import AppStoreServerAPI
import Synchronization
import Testing

/// Repetition of a failed request, in virtual time.
@Suite struct RepeatedRequestTests {
    private final class Repeated: Sendable {
        private let number = Atomic(0)
        var count: Int { number.load(ordering: .relaxed) }
        func add() { _ = number.add(1, ordering: .relaxed) }
    }

    private let repeated = Repeated()

    private func request() -> RepeatedRequest {
        let time = VirtualTime()
        return RepeatedRequest(Repetition(clocks: time.clocks, sleep: time.sleep) { [repeated] in repeated.add() })
    }

    /// Returns the failure that the request throws instead of waiting, or nil if it waits.
    private func thrown(by request: inout RepeatedRequest, after failure: APIError) async throws -> APIError? {
        do {
            try await request.wait(after: failure)
        } catch let thrown as APIError {
            return thrown
        }
        return nil
    }

    @Test func `every failure but the last is counted, and the last one is thrown`() async throws {
        var request = request()
        let failure = APIError(kind: .server, status: 500, message: "injected", isRetriable: true)
        for count in 1...5 {
            let early = try await thrown(by: &request, after: failure)
            #expect(early == nil)
            #expect(repeated.count == count)
        }
        let last = try await thrown(by: &request, after: failure)
        #expect(last == failure)
        #expect(repeated.count == 5)
    }

    @Test(arguments: [(60_000, true), (60_001, false)] as [(Int64, Bool)])
    func `a failure that would require a longer wait is thrown and not counted`(
        wait: Int64, isRepeated: Bool
    ) async throws {
        var request = request()
        let failure = APIError(
            kind: .rateLimited, status: 429, message: "injected", isRetriable: true, retryAt: VirtualTime.start + wait)
        let thrown = try await thrown(by: &request, after: failure)
        #expect(thrown == (isRepeated ? nil : failure))
        #expect(repeated.count == (isRepeated ? 1 : 0))
    }
}
