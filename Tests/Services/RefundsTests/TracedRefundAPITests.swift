import AppStoreModel
import AppStoreServerAPI
import RefundRules
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Refunds
@testable import Tracing

@Suite struct TracedRefundAPITests {
    /// An API that fails or succeeds, and records the span of each call.
    private final class FakeAPI: RefundAPI {
        let spans = Mutex<[TraceParent?]>([])
        let failure: APIError?

        init(_ failure: APIError? = nil) { self.failure = failure }

        func send(_ body: [UInt8], form: Int32, for refund: RefundCase, isLast: Bool) async throws(APIError) {
            spans.withLock { $0.append(TraceScope.current?.span?.context) }
            if let failure { throw failure }
        }

        func transaction(of refund: RefundCase) async throws(APIError) -> TransactionPayload {
            throw APIError(kind: .noKey, message: "not asked", isRetriable: false)
        }
    }

    private let queue = SpanQueue()
    private let refund = RefundCase(
        environment: .production, bundleId: BundleId("com.example.app"), transactionId: TransactionId("2000"))

    private func tracer(_ kind: Sampler.Kind = .parentAlwaysOff) -> Tracer { Tracer(Sampler(kind), queue: queue) }

    @Test func `an answer joins the recorded trace that changed its case`() async throws {
        let (tracer, api) = (tracer(), FakeAPI())
        let change = try #require(TraceParent.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        tracer.recent.remember(change, forKey: Array("com.example.app/2000".utf8))
        try await TracedRefundAPI(api: api, tracer: tracer).send([], form: 2, for: refund, isLast: false)
        let span = try #require(queue.take().first)
        #expect(span.name == "answer refund request" && !span.isError)
        #expect(span.context.traceId == change.traceId && span.parentId == 0x00f0_67aa_0ba9_02b7)
        #expect(api.spans.withLock { $0 } == [span.context])
        #expect(span.attributes == [SpanAttribute(.environment, "Production")])
    }

    @Test func `an answer to a case without a recorded trace is sent as without tracing`() async throws {
        let api = FakeAPI()
        try await TracedRefundAPI(api: api, tracer: tracer()).send([], form: 2, for: refund, isLast: false)
        #expect(api.spans.withLock { $0 } == [nil])
        #expect(queue.count == 0)
    }

    @Test func `a failure reaches the caller unchanged`() async throws {
        let failure = APIError(kind: .rateLimited, status: 429, message: "429", isRetriable: true)
        let traced = TracedRefundAPI(api: FakeAPI(failure), tracer: tracer(.alwaysOn))
        let thrown = await #expect(throws: APIError.self) {
            try await traced.send([], form: 2, for: refund, isLast: false)
        }
        #expect(thrown?.kind == .rateLimited && thrown?.status == 429)
        #expect(queue.take().first?.attributes.last == SpanAttribute(.errorType, "rate_limited"))
    }
}
