internal import AppStoreSigning
internal import Cryptography
internal import Foundation
internal import Simulator

/// Measures the ingress in one process, with acknowledgements of the embedded broker in another.
struct IngressBenchmark {
    let probes: Probes
    let pki: TestCertificateAuthority
    let app: SimulatedApp
    let rounds: Int
    let seconds: Double

    /// One line of the report: a load, the ingress that it is sent to, and the results of its runs.
    private struct Row {
        let name: String
        let ingress: IngressProcess
        let load: LoadGenerator.Load
        var turns: [IngressProcess.Turn] = []

        mutating func run() throws { turns.append(try ingress.turn(load)) }

        func median(_ value: (IngressProcess.Turn) -> Double) -> Double { Distribution(turns.map(value)).median }
    }

    func run(into report: inout BenchReport) throws {
        try withBroker { try run($0, into: &report) }
    }

    /// Measures only the cost of traces.
    func runTracing(into report: inout BenchReport) throws {
        try withBroker { try tracing($0).run(into: &report) }
    }

    private func tracing(_ surroundings: IngressProcess.Surroundings) -> TracingBenchmark {
        TracingBenchmark(surroundings: surroundings, rounds: rounds, seconds: seconds)
    }

    private func withBroker(_ body: (IngressProcess.Surroundings) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-bench-\(getpid()).der")
        try Data(pki.root.der).write(to: root)
        defer { try? FileManager.default.removeItem(at: root) }
        let broker = try ChildProcess("sluice-dev-broker", ["--port", "0"])
        try body(
            IngressProcess.Surroundings(
                bootstrapServers: try broker.ready(field: "bootstrapServers"), app: app, roots: [root.path],
                bodies: probes.evp.bodies))
        try broker.stop()
    }

    private func run(_ surroundings: IngressProcess.Surroundings, into report: inout BenchReport) throws {
        report.section("ingress with acknowledgement by the embedded broker, one process each")
        let begun = Clocks.monotonic
        let ingress = try IngressProcess(surroundings)
        report.add("ingress.start_to_ready_ms", (Clocks.monotonic - begun) / 1e6, "ms")
        try measureIdle(ingress.child, into: &report)
        try IngressTurns(probes: probes, surroundings: surroundings, rounds: rounds, seconds: seconds)
            .run(into: &report)
        try tracing(surroundings).run(into: &report)
        try runLoads(ingress, surroundings, into: &report)
        try ingress.child.stop()
        try TablesMemoryBenchmark(bootstrapServers: surroundings.bootstrapServers, app: app).run(into: &report)
    }

    private func runLoads(
        _ ingress: IngressProcess, _ surroundings: IngressProcess.Surroundings, into report: inout BenchReport
    ) throws {
        report.section("ingress: rates and latencies by connections and workers")
        let others = try [1, 2].map {
            try IngressProcess(surroundings, settings: ["verification.workers": "\($0)"])
        }
        var rows = [1, 64, 256, 1000].map { connections in
            // The listener accepts 512 requests at a time, so 1000 connections must take turns.
            Row(
                name: "ingress.\(connections)", ingress: ingress,
                load: .init(connections: connections, outstanding: 400, seconds: seconds))
        }
        for (index, other) in others.enumerated() {
            rows.append(
                Row(
                    name: "ingress.workers_\(index + 1)", ingress: other,
                    load: .init(connections: 64, seconds: seconds)))
        }
        for _ in 0..<rounds {
            for index in rows.indices { try rows[index].run() }
        }
        for row in rows {
            report.add("\(row.name).per_second", row.median(\.outcome.perSecond), "notifications/s", digits: 0)
            report.add("\(row.name).p50_ms", row.median { $0.outcome.latencies.percentile(0.5) }, "ms", digits: 2)
            report.add("\(row.name).p99_ms", row.median { $0.outcome.latencies.percentile(0.99) }, "ms", digits: 2)
            report.add("\(row.name).cpu_us", row.median(\.cost), "us CPU of the ingress each")
        }
        try LatencyBenchmark(
            generator: ingress.generator, bootstrapServers: surroundings.bootstrapServers, rounds: rounds,
            seconds: seconds, perSecond: rows[1].median(\.outcome.perSecond) / 2,
            recordBytes: probes.evp.bodies[0].count
        ).run(into: &report)
        report.add("ingress.memory_peak_mib", ingress.child.memory.peak, "MiB resident")
        for other in others { try other.child.stop() }
    }

    /// Measures the memory and CPU usage of a process that receives no requests.
    private func measureIdle(_ ingress: ChildProcess, into report: inout BenchReport) throws {
        Thread.sleep(forTimeInterval: 1)
        let before = ingress.cpu
        Thread.sleep(forTimeInterval: seconds)
        let share = (ingress.cpu - before) / 1e9 / seconds
        report.add("ingress.memory_idle_mib", ingress.memory.now, "MiB resident")
        report.add("ingress.idle_cpu_percent", share * 100, "% of a core", digits: 2)
    }
}
