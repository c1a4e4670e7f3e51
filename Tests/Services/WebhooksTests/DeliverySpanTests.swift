import AppStoreModel
import HTTPClient
import Telemetry
import TestSupport
import Testing

@testable import Tracing
@testable import Webhooks

/// Spans of deliveries, and the trace context that receivers get.
@Suite(.timeLimit(.minutes(2))) struct DeliverySpanTests {
    private static let recorded = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private static let unrecorded = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"

    private let queue = SpanQueue()
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func sender(to url: String) throws -> WebhookSender {
        let secret = try directory.write(TestKey.line(TestKey.first), to: "secret")
        return WebhookSender(
            try WebhooksConfiguration(
                configuration(["--webhooks.url", url, "--webhooks.secret.file", secret])),
            client: HTTPClient())
    }

    private func message(_ traceParent: String?) -> WebhookMessage {
        WebhookMessage(
            id: "msg_1", type: "test", bundleId: BundleId("com.example.app"), body: Array("{}".utf8),
            traceParent: traceParent)
    }

    private func record() throws -> Span {
        try #require(
            Tracer(Sampler(.parentAlwaysOff), queue: queue)
                .start("process", .consumer, parent: TraceParent.parse(Self.recorded)))
    }

    @Test func `a delivery is a span, and the receiver gets its identity`() async throws {
        let receiver = try Receiver()
        let (sender, parent) = (try sender(to: receiver.url), try record())
        _ = try await TraceScope.$current.withValue(TraceScope(parent)) {
            try await sender.send(message(Self.recorded))
        }
        let span = try #require(queue.take().first)
        #expect(span.name == "POST" && span.kind == .client && span.parentId == parent.context.spanId)
        #expect(receiver.deliveries.map(\.traceParent) == [span.context.text])
        #expect(
            span.attributes == [
                SpanAttribute(.method, "POST"), SpanAttribute(.bodySize, 2), SpanAttribute(.webhookId, "msg_1"),
                SpanAttribute(.serverAddress, "127.0.0.1"), SpanAttribute(.serverPort, receiver.port),
                SpanAttribute(.status, 204),
            ])
        await receiver.stop()
    }

    @Test func `a refused delivery and one without a response are errors`() async throws {
        let receiver = try Receiver { _, _ in .status(503) }
        let (sender, parent) = (try sender(to: receiver.url), try record())
        _ = try await TraceScope.$current.withValue(TraceScope(parent)) { try await sender.send(message(nil)) }
        await receiver.stop()
        _ = try await TraceScope.$current.withValue(TraceScope(parent)) { try await sender.send(message(nil)) }
        let spans = queue.take()
        #expect(spans.map(\.isError) == [true, true])
        #expect(
            spans.map { $0.attributes.last } == [
                SpanAttribute(.errorType, "503"), SpanAttribute(.errorType, "connectionFailed"),
            ])
    }

    @Test(arguments: [nil, unrecorded, recorded])
    func `without a recorded call, the receiver gets the record's trace context`(traceParent: String?) async throws {
        let receiver = try Receiver()
        _ = try await sender(to: receiver.url).send(message(traceParent))
        #expect(receiver.deliveries.map(\.traceParent) == [traceParent])
        #expect(queue.count == 0)
        await receiver.stop()
    }
}
