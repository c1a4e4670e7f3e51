import HTTPClient
import HTTPServer
import JSON
import Lifecycle
import OTLPTestSupport
import Telemetry
import TestSupport
import Testing
import Tracing

@testable import OTLP

@Suite(.timeLimit(.minutes(2))) struct ExportTests {
    /// An export that runs until `stop()` is called.
    private struct Run {
        let export: OTLPExport
        let metrics: MetricsRegistry
        let log: MemoryLogSink
        let queue: SpanQueue
        let tracer: Tracer
        let task: Task<Void, any Error>

        init(to url: String, _ change: (inout OTLPConfiguration) -> Void = { _ in }) {
            var configuration = OTLPConfiguration()
            configuration.tracesURL = "\(url)/v1/traces"
            configuration.metricsURL = "\(url)/v1/metrics"
            configuration.scheduleDelay = .milliseconds(5)
            configuration.metricInterval = .seconds(3_600)
            configuration.batchSize = 4
            change(&configuration)
            let (metrics, log) = (MetricsRegistry(), MemoryLogSink())
            (self.metrics, self.log) = (metrics, log)
            queue = SpanQueue(capacity: configuration.queueSize, batch: configuration.batchSize)
            tracer = Tracer(Sampler(.alwaysOn), queue: queue)
            let export = OTLPExport(
                configuration, resource: [ResourceAttribute(key: "service.name", value: "test")], queue: queue,
                metrics: metrics, logger: Logger(label: "test", level: .info, format: .json, sink: log), start: 1)
            self.export = export
            // Callers of `stop()` await the end of the task.
            task = Task { try await export.run() }
        }

        func record(_ names: String...) { for name in names { tracer.start(name, .internal, parent: nil)?.end() } }

        func stop(within limit: Duration = .seconds(10)) async throws {
            await export.stop(within: limit)
            try await task.value
        }

        func value(_ series: String) -> Int {
            for line in String(decoding: metrics.prometheusText(), as: UTF8.self).split(separator: "\n")
            where line.hasPrefix(series + " ") { return Int(line.dropFirst(series.count + 1)) ?? -1 }
            return 0
        }
    }

    private static func answer(_ status: Int, _ body: String = "{}") -> HTTPResponse {
        HTTPResponse(status: status, reason: "test", body: Array(body.utf8))
    }

    @Test func `spans arrive at the collector with the configured headers`() async throws {
        let collector = try Collector()
        let run = Run(to: collector.url) { $0.headers = [(name: "authorization", value: "Bearer token")] }
        run.record("a", "b")
        try await waitUntil { collector.spans.count == 2 }
        let request = try #require(collector.requests.first)
        #expect(request.path == "/v1/traces")
        #expect(request.headers == ["content-type": "application/json", "authorization": "Bearer token"])
        #expect(collector.spans.map(\.name) == ["a", "b"])
        #expect(collector.spans.allSatisfy { $0.service == "test" && $0.start <= $0.end })
        try await run.stop()
        #expect(run.value(#"sluice_otlp_spans_total{outcome="exported"}"#) == 2)
        await collector.stop()
    }

    @Test func `the remaining spans and the metrics are exported when the process ends`() async throws {
        let collector = try Collector()
        let run = Run(to: collector.url) { $0.scheduleDelay = .seconds(3_600) }
        run.metrics.counter("sluice_x_total", help: "Xs.").increment(by: 7)
        run.record("a", "b", "c")
        try await run.stop()
        #expect(collector.spans.map(\.name) == ["a", "b", "c"])
        let sum = collector.metrics["sluice_x_total"]?["sum"]?.object
        #expect(sum?["dataPoints"]?.array?.first?.object?["asInt"]?.string == "7")
        await collector.stop()
    }

    @Test func `metrics are exported at each interval`() async throws {
        let collector = try Collector()
        let run = Run(to: collector.url) { $0.metricInterval = .milliseconds(5) }
        try await waitUntil { collector.requests.count { $0.path == "/v1/metrics" } >= 3 }
        #expect(collector.metrics["sluice_otlp_exports_total"] != nil)
        try await run.stop()
        await collector.stop()
    }

    @Test(arguments: [429, 502, 503, 504])
    func `a batch is retried after a status that permits it`(status: Int) async throws {
        let collector = try Collector { Self.answer($0 == 1 ? status : 200) }
        let run = Run(to: collector.url) { $0.metricsURL = nil }
        run.record("a")
        try await waitUntil { run.value(#"sluice_otlp_spans_total{outcome="exported"}"#) == 1 }
        #expect(collector.spans.map(\.name) == ["a", "a"])
        let lines = run.log.lines
        #expect(lines.count { $0.contains("telemetry export failed") } == 1)
        #expect(lines.count { $0.contains("telemetry export succeeded again") } == 1)
        try await run.stop()
        await collector.stop()
    }

    @Test(
        arguments: [
            (nil, 2), ("0", 2), ("1", 2), ("31", 31), ("300", 300), ("301", 300), ("70000", 300), ("-1", 2),
            ("soon", 2),
        ] as [(String?, Int)])
    func `a retry waits for the time that the collector requests, up to five minutes`(
        _ text: String?, _ seconds: Int
    ) {
        let headers = text.map { [(name: "Retry-After", value: $0)] } ?? []
        let outcome = OTLPClient.outcome(HTTPClientResponse(status: 429, headers: headers, body: []))
        guard case .retriable(_, let after) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(SpanExport.delay(.seconds(2), retryAfter: after) == .seconds(seconds))
    }

    @Test func `a refused batch is dropped and counted, and the next one is sent`() async throws {
        let collector = try Collector { Self.answer($0 == 1 ? 400 : 200) }
        let run = Run(to: collector.url) { $0.metricsURL = nil }
        run.record("a")
        try await waitUntil { run.value(#"sluice_otlp_spans_total{outcome="export_failed"}"#) == 1 }
        run.record("b")
        try await waitUntil { run.value(#"sluice_otlp_spans_total{outcome="exported"}"#) == 1 }
        #expect(collector.spans.map(\.name) == ["a", "b"])
        try await run.stop()
        await collector.stop()
    }

    @Test(arguments: [#"{"partialSuccess":{"rejectedSpans":"2"}}"#, #"{"partialSuccess":{"rejectedSpans":2}}"#])
    func `spans that the collector rejects are counted`(body: String) async throws {
        let collector = try Collector { _ in Self.answer(200, body) }
        let run = Run(to: collector.url) { $0.metricsURL = nil }
        run.record("a", "b", "c", "d")
        // Rejected spans are counted first.
        try await waitUntil { run.value(#"sluice_otlp_spans_total{outcome="exported"}"#) == 2 }
        #expect(run.value(#"sluice_otlp_spans_total{outcome="rejected"}"#) == 2)
        try await run.stop()
        await collector.stop()
    }

    @Test func `a collector that never responds neither grows memory nor delays the stop`() async throws {
        let collector = try Collector { _ in nil }
        let run = Run(to: collector.url) {
            $0.timeout = .seconds(30)
            $0.queueSize = 8
        }
        run.record("a")
        try await waitUntil { collector.requests.count == 1 }
        for _ in 0..<1_000 { run.record("b") }
        #expect(run.queue.count == 8)
        #expect(run.value(#"sluice_otlp_spans_total{outcome="queue_full"}"#) == 992)
        let start = ContinuousClock.now
        try await run.stop()
        #expect(ContinuousClock.now - start < .seconds(4).scaled)
        #expect(run.value(#"sluice_otlp_spans_total{outcome="export_failed"}"#) == 9)
        await collector.stop()
    }

    @Test func `an unreachable collector is logged once`() async throws {
        let run = Run(to: "http://127.0.0.1:1") { $0.metricInterval = .milliseconds(5) }
        try await waitUntil {
            run.value(#"sluice_otlp_exports_total{outcome="retriable",signal="metrics"}"#) >= 5
        }
        try await run.stop()
        let warnings = run.log.lines.filter { $0.contains("metrics") }
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains(#""level":"warning""#) == true)
    }
}
