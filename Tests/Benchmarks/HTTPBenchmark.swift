internal import Foundation
internal import HTTPServer

/// Measures the server's cost of a POST with a body that is ignored.
struct HTTPBenchmark {
    let bodies: [[UInt8]]
    let rounds: Int
    let seconds: Double

    func run(into report: inout BenchReport) async throws {
        report.section("HTTP alone: the same bodies, answered immediately")
        let server = HTTPServer(listeners: [
            Listener(
                name: "bench", host: "127.0.0.1", port: 0, limits: .public,
                admit: { _ in .body(limit: 256 * 1024) },
                handle: { _, exchange in exchange.respond(HTTPResponse(status: 200, reason: "ok")) })
        ])
        try server.start()
        let generator = LoadGenerator(port: server.port(), bodies: bodies)
        for connections in [64, 256] {
            var rates: [Double] = []
            var costs: [Double] = []
            for _ in 0..<rounds {
                // The load generator runs on this thread, so the CPU time of all other threads is the server's.
                let before = Clocks.processCPU - Clocks.threadCPU
                let outcome = try generator.run(.init(connections: connections, seconds: seconds))
                let cpu = Clocks.processCPU - Clocks.threadCPU - before
                rates.append(outcome.perSecond)
                costs.append(cpu / 1000 / Double(outcome.accepted))
            }
            report.add("http.\(connections).per_second", Distribution(rates).median, "requests/s", digits: 0)
            report.add("http.\(connections).cpu_us", Distribution(costs).median, "us CPU of the server each")
        }
        await server.drain(within: .seconds(1))
    }
}
