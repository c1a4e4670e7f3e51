import AppStoreModel
import Foundation
import HTTPServer
import OTLPTestSupport
import Records
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Traces across executables, as a collector receives them.
    @Suite struct Traces {
        private static let rotel =
            ProcessInfo.processInfo.environment["SLUICE_TEST_ROTEL"] ?? Program.path(of: "rotel-agent")

        @Test func `one notification is one trace from the request to the webhook`() async throws {
            try await Harness.open { harness in
                let collector = try Collector()
                let receiver = try TraceReceiver()
                try await harness.runPipeline(exportingTo: collector.url, receiver: receiver)
                try await waitUntil(within: .seconds(60)) {
                    collector.spans.contains { $0.name == "POST" && $0.service == "sluice-webhooks" }
                }
                let delivery = try #require(collector.spans.first { $0.name == "POST" })
                let production = harness.topics.notifications(.production)
                let states = harness.topics.entitlements(.production)
                let expected = [
                    ("sluice-webhooks", "POST"), ("sluice-webhooks", "process \(states)"),
                    ("sluice-entitlements", "send \(states)"), ("sluice-entitlements", "process \(production)"),
                    ("sluice-ingress", "send \(production)"), ("sluice-ingress", "POST /notifications"),
                ]
                // Each span of the path is the parent of the previous one. The exports arrive in any order.
                var path: [Collector.Span] = []
                try await waitUntil(within: .seconds(60)) {
                    path = Self.ancestors(of: delivery, in: collector.spans)
                    return path.count == expected.count
                }
                #expect(path.map { "\($0.service ?? ""): \($0.name)" } == expected.map { "\($0.0): \($0.1)" })
                #expect(Set(path.map(\.traceId)).count == 1)
                #expect(path.last?.parentSpanId == nil)
                #expect(path.allSatisfy { !$0.isError })
                #expect(path.map(\.kind) == [3, 5, 4, 5, 4, 2])
                #expect(zip(path, path.dropFirst()).allSatisfy { $0.start >= $1.start })
                #expect(delivery.attributes["http.response.status_code"] == "204")
                #expect(receiver.traceParents.contains("00-\(delivery.traceId)-\(delivery.spanId)-03"))
                await collector.stop()
            }
        }

        @Test(
            .enabled(
                if: rotel != nil, "no rotel: pip install rotel, SLUICE_TEST_ROTEL=…/site-packages/rotel/rotel-agent"))
        func `the collector Rotel receives the same trace, and the metrics`() async throws {
            try await Harness.open { harness in
                let port = try freePort()
                let rotel = try harness.start([
                    Self.rotel ?? "", "start", "--otlp-http-endpoint", "127.0.0.1:\(port)", "--otlp-grpc-endpoint",
                    "127.0.0.1:\(try freePort())", "--exporter", "blackhole", "--debug-log", "traces", "--debug-log",
                    "metrics", "--debug-log-verbosity", "detailed", "--pid-file", harness.path("rotel.pid"),
                ])
                let receiver = try TraceReceiver()
                try await harness.runPipeline(exportingTo: "http://127.0.0.1:\(port)", receiver: receiver)
                try await waitUntil(within: .seconds(60)) { !receiver.traceParents.isEmpty }
                let delivered = try #require(receiver.traceParents.first?.split(separator: "-"))
                let expected = [
                    "POST /notifications", "verify", "acknowledge",
                    "send \(harness.topics.notifications(.production))",
                    "process \(harness.topics.notifications(.production))",
                    "send \(harness.topics.entitlements(.production))",
                    "process \(harness.topics.entitlements(.production))", "POST",
                ]
                var names: Set<String> = []
                _ = await eventually(within: .seconds(60)) {
                    names = Self.names(ofTrace: String(delivered[1]), in: rotel.output)
                    return names == Set(expected)
                }
                #expect(names == Set(expected), "\(rotel)")
                try await waitUntil(within: .seconds(60)) {
                    rotel.output.contains("Name: sluice_ingress_notifications_total")
                        && rotel.output.contains("Name: sluice_consumer_records_total")
                }
            }
        }

        private static func ancestors(of span: Collector.Span, in spans: [Collector.Span]) -> [Collector.Span] {
            var path = [span]
            while let parent = spans.first(where: { $0.spanId == path.last?.parentSpanId }) { path.append(parent) }
            return path
        }

        /// Returns the names of the spans of a trace in Rotel's debug log.
        private static func names(ofTrace traceId: String, in log: String) -> Set<String> {
            var names: Set<String> = []
            var isOfTrace = false
            for line in log.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                guard parts.count == 2 else { continue }
                if parts[0] == "Trace ID" { isOfTrace = parts[1] == traceId }
                if parts[0] == "Name", isOfTrace { names.insert(parts[1]) }
            }
            return names
        }
    }
}

/// Accepts every webhook and keeps its trace context.
private final class TraceReceiver: Sendable {
    private final class Notes: Sendable { let traceParents = Mutex<[String]>([]) }

    private let notes = Notes()
    private let server: HTTPServer

    init() throws {
        let notes = notes
        server = HTTPServer(listeners: [
            Listener(
                name: "receiver", host: "127.0.0.1", port: 0, limits: .public, admit: { _ in .body(limit: 1_000_000) },
                handle: { request, exchange in
                    if let header = request.head.header("traceparent") {
                        notes.traceParents.withLock { $0.append(header) }
                    }
                    exchange.respond(HTTPResponse(status: 204, reason: "ok"))
                })
        ])
        try server.start()
    }

    var url: String { "http://127.0.0.1:\(server.port())/" }
    var traceParents: [String] { notes.traceParents.withLock { $0 } }
}

extension Harness {
    /// Starts the ingress, the entitlements and the webhooks with export, and posts the notifications of one purchase.
    fileprivate func runPipeline(exportingTo url: String, receiver: TraceReceiver) async throws {
        let broker = try await embeddedBroker()
        let settings = [
            "--otel.traces.exporter", "otlp", "--otel.metrics.exporter", "otlp", "--otel.exporter.otlp.endpoint", url,
            "--otel.bsp.schedule.delay", "100ms", "--otel.metric.export.interval", "500ms",
        ]
        // The standard variables of OpenTelemetry have the same effect as the flags.
        let variables = [
            "OTEL_TRACES_EXPORTER": "otlp", "OTEL_METRICS_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": url,
            "OTEL_BSP_SCHEDULE_DELAY": "100", "OTEL_METRIC_EXPORT_INTERVAL": "500",
        ]
        let ingress = try await ingress(on: broker, for: try await simulatedApp(), environment: variables)
        _ = try await entitlements(on: broker, settings: settings)
        let key = "whsec_" + Data(repeating: 1, count: 32).base64EncodedString()
        _ = try start(
            Executable(
                "sluice-webhooks",
                arguments: broker.arguments + [
                    "--webhooks.url", receiver.url, "--webhooks.secret.file", try write(key, to: "webhook-key"),
                    "--admin.port", "0",
                ] + settings))
        _ = try await post(
            to: ingress, ["--scenario", "subscription-life", "--accounts", "1", "--app", SentApp.simulated])
    }
}
