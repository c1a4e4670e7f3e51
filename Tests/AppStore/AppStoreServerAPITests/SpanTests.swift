import AppStoreModel
import HTTPServer
import Telemetry
import TestSupport
import Testing

@testable import AppStoreServerAPI
@testable import Tracing

/// Spans of requests to Apple within a recorded trace.
@Suite(.timeLimit(.minutes(5))) struct SpanTests {
    private let queue = SpanQueue()

    /// Sends a request for a transaction within a recorded span.
    private func send(to store: FakeAppStore) async throws -> (parent: Span, harness: APIHarness) {
        let harness = try APIHarness(store)
        let parent = try #require(
            Tracer(Sampler(.alwaysOn), queue: queue).start("work", .internal, parent: nil))
        await TraceScope.$current.withValue(TraceScope(parent)) {
            _ = try? await harness.client.send(
                APIRequest(.getTransactionInfo, "2000000000000001"), to: APIHarness.production)
        }
        return (parent, harness)
    }

    @Test func `a request is a span with its operation, and Apple receives no trace context`() async throws {
        let store = try FakeAppStore(status: 200, "{}")
        let (parent, harness) = try await send(to: store)
        let span = try #require(queue.take().first)
        #expect(span.name == "GET" && span.kind == .client && !span.isError)
        #expect(span.parentId == parent.context.spanId)
        let port = try #require(store.url.split(separator: ":").last.flatMap { Int($0) })
        #expect(
            span.attributes == [
                SpanAttribute(.method, "GET"), SpanAttribute(.operation, "Get Transaction Info"),
                SpanAttribute(.environment, "Production"), SpanAttribute(.serverAddress, "127.0.0.1"),
                SpanAttribute(.serverPort, port), SpanAttribute(.status, 200),
            ])
        #expect(store.asked.map(\.traceParent) == [nil])
        #expect(harness.reported.count >= 1)
    }

    @Test(arguments: [404, 429, 500])
    func `a failure is an error with the status, without identifiers or the token`(status: Int) async throws {
        let store = try FakeAppStore { asked, _ in
            HTTPResponse(status: status, reason: "test", body: Array(asked.authorization.utf8))
        }
        _ = try await send(to: store)
        let span = try #require(queue.take().first)
        #expect(span.isError && span.attributes.last == SpanAttribute(.errorType, "\(status)"))
        #expect(!"\(span)".contains("2000000000000001") && !"\(span)".contains("Bearer"))
    }

    @Test func `a request outside a recorded trace has no span`() async throws {
        let harness = try APIHarness(try FakeAppStore(status: 200, "{}"))
        _ = try await harness.client.send(APIRequest(.getTransactionInfo, "1"), to: APIHarness.production)
        #expect(queue.count == 0)
    }
}
