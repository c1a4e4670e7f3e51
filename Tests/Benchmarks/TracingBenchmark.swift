internal import Foundation
internal import HTTPServer

/// Measures the CPU time that traces cost the ingress. Ingresses without the settings, with traces disabled, and with
/// one recorded trace in a hundred alternate in turns of half a second.
struct TracingBenchmark {
    let surroundings: IngressProcess.Surroundings
    let rounds: Int
    let seconds: Double

    private static let secondsPerTurn = 0.5
    private static let connections = 64

    private struct Row {
        let name: String
        let ingress: IngressProcess
        var costs: [Double] = []

        init(_ name: String, _ surroundings: IngressProcess.Surroundings, _ settings: [String: String]) throws {
            self.name = name
            ingress = try IngressProcess(surroundings, settings: settings)
            // All one-time allocations are done after this turn.
            _ = try ingress.turn(.init(connections: connections, seconds: secondsPerTurn))
        }

        mutating func run() throws {
            costs.append(try ingress.turn(.init(connections: connections, seconds: secondsPerTurn)).cost)
        }
    }

    func run(into report: inout BenchReport) throws {
        report.section("ingress with traces, in turns, at \(Self.connections) connections")
        let collector = try AcceptingCollector()
        let traces = ["otel.traces.exporter": "otlp", "otel.exporter.otlp.endpoint": collector.url]
        let sampled = ["otel.traces.sampler": "parentbased_traceidratio", "otel.traces.sampler.arg": "0.01"]
        var rows = [
            try Row("without", surroundings, [:]),
            try Row("off", surroundings, traces.merging(["otel.sdk.disabled": "true"]) { $1 }),
            try Row("one_percent", surroundings, traces.merging(sampled) { $1 }),
            try Row("all", surroundings, traces),
        ]
        for turn in 0..<max(4, Int(Double(rounds) * seconds / Self.secondsPerTurn)) {
            // Each row is first in its turn, so that a change of the machine's speed affects all of them equally.
            for index in rows.indices { try rows[(index + turn) % rows.count].run() }
        }
        for row in rows {
            report.add("tracing.\(row.name).cpu_us", Distribution(row.costs).median, "us CPU of the ingress each")
        }
        for (row, bar) in zip(rows.dropFirst(), [1.01, 1.02, nil]) {
            let ratio = Distribution(zip(row.costs, rows[0].costs).map { $0 / $1 }).median
            report.add(
                "tracing.\(row.name).ratio", ratio, "x the ingress without", digits: 3, bar: bar.map { .atMost($0) })
        }
        for row in rows { try row.ingress.child.stop() }
    }
}

/// Accepts all exports without reading them.
private final class AcceptingCollector {
    private let server: HTTPServer

    init() throws {
        server = HTTPServer(listeners: [
            Listener(
                name: "collector", host: "127.0.0.1", port: 0, limits: .public, admit: { _ in .body(limit: 8 << 20) },
                handle: { _, exchange in exchange.respond(HTTPResponse(status: 200, reason: "ok")) })
        ])
        try server.start()
    }

    var url: String { "http://127.0.0.1:\(server.port())" }
}
