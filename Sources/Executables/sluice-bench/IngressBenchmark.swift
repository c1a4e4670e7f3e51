internal import AppStoreSigning
internal import Cryptography
internal import Foundation
internal import Kafka
internal import Records
internal import Simulator

/// The ingress as a process of its own, acknowledged by the embedded broker in another.
struct IngressBenchmark {
    let probe: VerificationProbe
    let pki: TestCertificateAuthority
    let app: SimulatedApp
    let rounds: Int
    let seconds: Double

    /// A load, and the ingress that takes it.
    private struct Row {
        let name: String
        let ingress: ChildProcess
        let generator: LoadGenerator
        let load: LoadGenerator.Load
        var outcomes: [LoadGenerator.Outcome] = []
        /// Microseconds of the ingress for each notification, in each round.
        var costs: [Double] = []

        mutating func run() throws {
            let before = ingress.cpu
            let outcome = try generator.run(load)
            costs.append((ingress.cpu - before) / 1000 / Double(outcome.accepted))
            outcomes.append(outcome)
        }

        func median(_ value: (LoadGenerator.Outcome) -> Double) -> Double {
            Distribution(outcomes.map(value)).median
        }
    }

    func run(into report: inout BenchReport) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-bench-\(getpid()).der")
        try Data(pki.root.der).write(to: root)
        defer { try? FileManager.default.removeItem(at: root) }
        let broker = try ChildProcess("sluice-dev-broker", ["--port", "0"])
        let bootstrap = try broker.ready(field: "bootstrapServers")
        report.section("ingress with acknowledgement by the embedded broker, one process each")
        let begun = Clocks.monotonic
        let (ingress, generator) = try start(bootstrap, root.path, workers: nil)
        report.add("ingress.start_to_ready_ms", (Clocks.monotonic - begun) / 1e6, "ms")
        try measureIdle(ingress, into: &report)
        let others = try [1, 2].map { try start(bootstrap, root.path, workers: $0) }
        var rows = [1, 64, 256, 1000].map { connections in
            // The listener takes 512 at once: of a thousand connections that many are never busy together.
            Row(
                name: "ingress.\(connections)", ingress: ingress, generator: generator,
                load: .init(connections: connections, outstanding: 400, seconds: seconds))
        }
        for (index, other) in others.enumerated() {
            rows.append(
                Row(
                    name: "ingress.workers_\(index + 1)", ingress: other.0, generator: other.1,
                    load: .init(connections: 64, seconds: seconds)))
        }
        try run(&rows, into: &report)
        try LatencyBenchmark(
            generator: generator, bootstrapServers: bootstrap, rounds: rounds, seconds: seconds,
            perSecond: rows[1].median(\.perSecond) / 2, recordBytes: probe.bodies[0].count
        ).run(into: &report)
        report.add("ingress.memory_peak_mib", ingress.memory.peak, "MiB resident")
        for process in [ingress] + others.map(\.0) + [broker] { try process.stop() }
    }

    private func run(_ rows: inout [Row], into report: inout BenchReport) throws {
        var verification: [Double] = []
        for round in 0..<rounds {
            verification.append(try probe.whole(round: round))
            for index in rows.indices { try rows[index].run() }
        }
        for row in rows {
            report.add("\(row.name).per_second", row.median(\.perSecond), "notifications/s", digits: 0)
            report.add("\(row.name).p50_ms", row.median { $0.latencies.percentile(0.5) }, "ms", digits: 2)
            report.add("\(row.name).p99_ms", row.median { $0.latencies.percentile(0.99) }, "ms", digits: 2)
            report.add("\(row.name).cpu_us", Distribution(row.costs).median, "us CPU of the ingress each")
        }
        // Of the same round, so that a machine that slows down slows both.
        let shares = zip(verification, rows[1].costs).map { $0 / $1 }
        report.add(
            "ingress.share_of_verification", Distribution(shares).median,
            "of the verification rate, for each core used at 64 connections", digits: 3, bar: .atLeast(0.75))
    }

    /// - Parameter workers: nil leaves the default, one for each core.
    private func start(
        _ bootstrapServers: String, _ root: String, workers: Int?
    ) throws -> (ChildProcess, LoadGenerator) {
        let ingress = try ChildProcess(
            "sluice-ingress",
            [
                "--kafka.bootstrap.servers", bootstrapServers, "--profile", "single-node", "--revocation", "off",
                "--apps", app.setting, "--root.certificates", root, "--http.host", "127.0.0.1",
                "--http.port", "0", "--admin.port", "0",
                // The corpus is posted again and again; each copy shall become a record.
                "--duplicates.remembered", "1",
            ] + (workers.map { ["--verification.workers", "\($0)"] } ?? []))
        guard let port = UInt16(try ingress.ready(field: "port")) else { throw BenchFailure("no port") }
        let generator = LoadGenerator(port: port, bodies: probe.bodies)
        return (ingress, generator)
    }

    /// Memory and CPU of a process that has had no request.
    private func measureIdle(_ ingress: ChildProcess, into report: inout BenchReport) throws {
        Thread.sleep(forTimeInterval: 1)
        let before = ingress.cpu
        Thread.sleep(forTimeInterval: seconds)
        let share = (ingress.cpu - before) / 1e9 / seconds
        report.add("ingress.memory_idle_mib", ingress.memory.now, "MiB resident")
        report.add("ingress.idle_cpu_percent", share * 100, "% of a core", digits: 2)
    }
}
