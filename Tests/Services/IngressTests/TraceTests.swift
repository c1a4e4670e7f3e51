import AppStoreTestSupport
import HTTPClient
import Kafka
import KafkaDevBroker
import Telemetry
import TestSupport
import Testing

@testable import Ingress
@testable import Tracing

/// Spans and trace contexts of requests.
@Suite(.timeLimit(.minutes(5))) struct TraceTests {
    private static let shared = Result { try DevBroker() }
    private static let recorded = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private static let unrecorded = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"

    private let broker: DevBroker
    private let appStore: TestAppStore
    private let queue = SpanQueue()

    init() throws {
        broker = try Self.shared.get()
        appStore = try TestAppStore.shared()
    }

    private func with(
        _ sampler: Sampler.Kind, proxies: [String] = ["127.0.0.0/8"], _ body: (IngressHarness) async throws -> Void
    ) async throws {
        let tracer = Tracer(Sampler(sampler), queue: queue)
        try await IngressHarness.with(broker, tracer: tracer, { $0.proxies = proxies }, body)
    }

    /// Returns the spans of one request, which end after the response.
    private func spans(_ count: Int) async throws -> [String: FinishedSpan] {
        try await waitUntil { queue.count == count }
        return Dictionary(uniqueKeysWithValues: queue.take().map { ($0.name, $0) })
    }

    private func headers(_ harness: IngressHarness) async throws -> [String?] {
        try await harness.records(harness.production).map { $0.text("traceparent") }
    }

    @Test func `a notification of a recorded trace has a span for each hop, and its record continues the trace`()
        async throws
    {
        let body = TestAppStore.body(try appStore.renewal())
        try await with(.parentAlwaysOff) { harness async throws in
            #expect(try await harness.post(body, headers: [("traceparent", Self.recorded)]).status == 200)
            let spans = try await spans(4)
            let topic = harness.production.rawValue
            let receive = try #require(spans["POST /notifications"])
            let verify = try #require(spans["verify"])
            let send = try #require(spans["send \(topic)"])
            let acknowledge = try #require(spans["acknowledge"])
            #expect(spans.values.allSatisfy { $0.context.traceId == "4bf92f3577b34da6a3ce929d0e0e4736" })
            #expect(spans.values.allSatisfy { $0.start <= $0.end && !$0.isError })
            #expect(receive.parentId == 0x00f0_67aa_0ba9_02b7)
            #expect(verify.parentId == receive.context.spanId && send.parentId == receive.context.spanId)
            #expect(acknowledge.parentId == send.context.spanId)
            #expect([receive.kind, verify.kind, send.kind] == [.server, .internal, .producer])
            #expect(
                receive.attributes == [
                    SpanAttribute(.method, "POST"), SpanAttribute(.route, "/notifications"),
                    SpanAttribute(.scheme, "http"), SpanAttribute(.status, 200),
                    SpanAttribute(.bodySize, body.count), SpanAttribute(.reason, "accepted"),
                ])
            #expect(verify.attributes == [SpanAttribute(.verdict, "accepted")])
            #expect(acknowledge.attributes.contains(SpanAttribute(.destination, topic)))
            #expect(acknowledge.attributes.contains { $0.key == .offset })
            #expect(try await headers(harness) == [send.context.text])
        }
    }

    @Test func `no attribute contains an identifier of the customer or a part of the body`() async throws {
        let draft = TestAppStore.Draft()
        let body = TestAppStore.body(try appStore.renewal(draft))
        try await with(.alwaysOn) { harness async throws in
            #expect(try await harness.post(body).status == 200)
            for span in try await spans(4).values {
                let text = "\(span)"
                #expect(!text.contains("2000000000000001") && !text.contains(draft.notificationUUID))
                #expect(!text.contains("eyJ"))
            }
        }
    }

    @Test func `an unrecorded trace has no spans, and its record says so`() async throws {
        let body = TestAppStore.body(try appStore.renewal())
        try await with(.parentAlwaysOn) { harness async throws in
            #expect(try await harness.post(body, headers: [("traceparent", Self.unrecorded)]).status == 200)
            let header = try #require(try await headers(harness).first ?? nil)
            #expect(header.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") && header.hasSuffix("-00"))
            #expect(header != Self.unrecorded)
            #expect(queue.count == 0)
        }
    }

    @Test func `a client that is not a trusted proxy cannot have its requests recorded`() async throws {
        let body = TestAppStore.body(try appStore.renewal())
        try await with(.parentAlwaysOff, proxies: []) { harness async throws in
            #expect(try await harness.post(body, headers: [("traceparent", Self.recorded)]).status == 200)
            #expect(try await headers(harness).first??.hasSuffix("-00") == true)
            #expect(queue.count == 0)
        }
    }

    @Test func `without a tracer, the record has the client's trace context and nothing else`() async throws {
        let bodies = [TestAppStore.body(try appStore.renewal()), TestAppStore.body(try appStore.renewal())]
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(bodies[0], headers: [("traceparent", Self.recorded)]).status == 200)
            #expect(try await headers(harness) == [Self.recorded])
        }
        try await IngressHarness.with(broker) { harness async throws in
            #expect(try await harness.post(bodies[1], headers: [("traceparent", "00-hostile")]).status == 200)
            #expect(try await headers(harness) == [nil])
        }
    }

    @Test func `a rejected request has its reason, and no span of a record`() async throws {
        try await with(.alwaysOn) { harness async throws in
            #expect(try await harness.post(Array(#"{"signedPayload":"a.b.c"}"#.utf8)).status == 400)
            let spans = try await spans(2)
            let receive = try #require(spans["POST /notifications"])
            #expect(receive.attributes.contains(SpanAttribute(.status, 400)) && !receive.isError)
            #expect(spans["verify"]?.attributes.first == SpanAttribute(.verdict, "not_apple"))
        }
    }

    @Test func `a recorded request is the exemplar of its duration`() async throws {
        let body = TestAppStore.body(try appStore.renewal())
        try await with(.alwaysOn) { harness async throws in
            #expect(try await harness.post(body).status == 200)
            let span = try #require(try await spans(4)["POST /notifications"])
            guard
                case .histogram(_, _, _, let exemplars) = harness.metrics.samples()
                    .families["sluice_ingress_request_duration_seconds"]?.values.first?.value
            else {
                Issue.record("no such histogram")
                return
            }
            #expect(exemplars.map(\.span) == [span.context])
        }
    }
}
