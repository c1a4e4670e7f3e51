import JSON
import Telemetry
import Testing
import Tracing

@testable import OTLP

/// Source: OpenTelemetry protocol specification, "JSON Protobuf Encoding", and its `examples/trace.json`.
@Suite struct TraceEncodingTests {
    private let queue = SpanQueue()

    private func spans(_ body: (Tracer) throws -> Void) rethrows -> [FinishedSpan] {
        try body(Tracer(Sampler(.alwaysOn), queue: queue, clock: { 1_544_712_660_000_000_000 }))
        return queue.take()
    }

    @Test func `ids are hexadecimal, 64-bit integers are strings, and enumerations are numbers`() throws {
        let parent = try #require(TraceParent.parse("00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b173-01"))
        let spans = try spans { tracer in
            let context = try #require(TraceParent.parse("00-5b8efff798038103d269b633813fc60c-00e19b7ec3c1b174-01"))
            tracer.span("I'm a \"server\" span", .server, context: context, parentId: parent.spanId).end(
                [SpanAttribute(.route, "/notifications"), SpanAttribute(.status, 200), SpanAttribute(.verdict, true)],
                at: 1_544_712_661_000_000_000)
        }
        let text = TraceEncoding.text(spans, resource: [ResourceAttribute(key: "service.name", value: "my.service")])
        let expected = """
            {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"my.service"}}]},\
            "scopeSpans":[{"scope":{"name":"sluice","version":"\(Build.version)"},"spans":[\
            {"traceId":"5b8efff798038103d269b633813fc60c","spanId":"00e19b7ec3c1b174",\
            "parentSpanId":"eee19b7ec3c1b173","flags":1,"name":"I'm a \\"server\\" span","kind":2,\
            "startTimeUnixNano":"1544712660000000000","endTimeUnixNano":"1544712661000000000",\
            "attributes":[{"key":"http.route","value":{"stringValue":"/notifications"}},\
            {"key":"http.response.status_code","value":{"intValue":"200"}},\
            {"key":"sluice.verdict","value":{"boolValue":true}}],"status":{}}]}]}]}
            """
        #expect(String(decoding: text, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        (SpanKind.internal, 1), (.server, 2), (.client, 3), (.producer, 4), (.consumer, 5),
    ])
    func `kinds have the numbers of SpanKind in trace.proto`(kind: SpanKind, number: Int) throws {
        let spans = spans { $0.start("work", kind, parent: nil)?.end(error: "timeout") }
        let span = try span(TraceEncoding.text(spans, resource: []))
        #expect(span["kind"]?.integer == Int64(number))
        // A root span has no parent, and STATUS_CODE_ERROR is 2.
        #expect(span["parentSpanId"] == nil)
        #expect(span["status"]?.object?["code"]?.integer == 2)
    }

    private func span(_ text: [UInt8]) throws -> JSONObject {
        let resource = try JSONValue(json: text).object?["resourceSpans"]?.array?.first?.object
        let scope = resource?["scopeSpans"]?.array?.first?.object
        return try #require(scope?["spans"]?.array?.first?.object)
    }
}
