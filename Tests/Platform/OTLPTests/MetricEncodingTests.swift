import JSON
import Telemetry
import Testing

@testable import OTLP

/// Source: OpenTelemetry protocol specification, "JSON Protobuf Encoding", and its `metrics.proto`.
@Suite struct MetricEncodingTests {
    private let metrics = MetricsRegistry()

    private func encoded() -> String {
        let text = MetricEncoding(start: 1_000, now: 2_000).text(metrics.samples(), resource: [])
        let whole = String(decoding: text, as: UTF8.self)
        let prefix =
            #"{"resourceMetrics":[{"resource":{"attributes":[]},"scopeMetrics":[{"scope":{"name":"sluice","#
            + #""version":"\#(Build.version)"},"metrics":["#
        #expect(whole.hasPrefix(prefix) && whole.hasSuffix("]}]}]}"))
        return String(whole.dropFirst(prefix.count).dropLast("]}]}]}".count))
    }

    @Test func `a counter is a cumulative monotonic sum`() {
        metrics.counter("sluice_x_total", help: "Xs.", labels: [MetricLabel("reason", "a\"b")]).increment(by: 1 << 60)
        #expect(
            encoded() == #"{"name":"sluice_x_total","description":"Xs.","sum":{"dataPoints":[{"attributes":"#
                + #"[{"key":"reason","value":{"stringValue":"a\"b"}}],"startTimeUnixNano":"1000","#
                + #""timeUnixNano":"2000","asInt":"1152921504606846976"}],"aggregationTemporality":2,"#
                + #""isMonotonic":true}}"#)
    }

    @Test(arguments: [(1.5, "1.5"), (.infinity, #""Infinity""#), (-.infinity, #""-Infinity""#), (.nan, #""NaN""#)])
    func `a gauge is a double, or a string for a number that JSON cannot represent`(value: Double, text: String) {
        metrics.gauge("sluice_y_bytes", help: "Ys.").set(value)
        #expect(
            encoded() == #"{"name":"sluice_y_bytes","description":"Ys.","unit":"By","gauge":{"dataPoints":["#
                + #"{"attributes":[],"timeUnixNano":"2000","asDouble":\#(text)}]}}"#)
    }

    @Test func `a histogram has one count more than bounds, and exemplars of recorded spans`() throws {
        let histogram = metrics.histogram("sluice_z_seconds", help: "Zs.", buckets: [0.5, 2])
        for value in [0.25, 0.5, 1, 16] { histogram.observe(value) }
        let span = try #require(TraceParent.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        histogram.exemplify(0.75, span, at: 1_400)
        histogram.exemplify(1, span, at: 1_500)
        histogram.exemplify(.nan, span, at: 1_600)
        #expect(
            encoded() == #"{"name":"sluice_z_seconds","description":"Zs.","unit":"s","histogram":{"dataPoints":["#
                + #"{"attributes":[],"startTimeUnixNano":"1000","timeUnixNano":"2000","count":4,"sum":17.75,"#
                + #""bucketCounts":[2,1,1],"explicitBounds":[0.5,2.0],"exemplars":[{"timeUnixNano":"1500","#
                + #""asDouble":1.0,"spanId":"00f067aa0ba902b7","traceId":"4bf92f3577b34da6a3ce929d0e0e4736"}]}],"#
                + #""aggregationTemporality":2}}"#)
        // Text format 0.0.4 has no exemplars, and exemplars are not counted.
        let text = String(decoding: metrics.prometheusText(), as: UTF8.self)
        #expect(text.contains("sluice_z_seconds_count 4\n") && !text.contains("4bf92f"))
    }
}
