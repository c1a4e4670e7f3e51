internal import AppStoreSigning
internal import Cryptography
internal import Foundation
internal import Simulator

/// The ingress as a process of its own, acknowledged by the embedded broker in another: notifications per second, time
/// to the answer, and CPU of the ingress for each.
struct IngressBenchmark {
    let corpus: NotificationCorpus
    let pki: ThrowawayPKI
    let app: SimulatedApp
    let seconds: Int

    struct Failure: Error {
        let message: String
    }

    func run(into report: inout BenchReport) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-bench-\(getpid()).der")
        try Data(pki.root.der).write(to: root)
        defer { try? FileManager.default.removeItem(at: root) }
        let broker = try ChildProcess("sluice-dev-broker", ["--port", "0"])
        let bootstrap = try broker.ready(field: "bootstrapServers")
        let started = monotonicNanoseconds()
        let ingress = try ChildProcess(
            "sluice-ingress",
            [
                "--kafka.bootstrap.servers", bootstrap, "--profile", "single-node", "--revocation", "off",
                "--apps", app.setting, "--root.certificates", root.path, "--http.host", "127.0.0.1",
                "--http.port", "0", "--admin.port", "0",
                // The corpus is posted again and again; each copy shall become a record.
                "--duplicates.remembered", "1",
            ])
        guard let port = UInt16(try ingress.ready(field: "port")) else { throw Failure(message: "no port") }
        let startUp = (monotonicNanoseconds() - started) / 1e6
        report.section("ingress with acknowledgement by the embedded broker, one process each, \(seconds) s a row")
        report.add("ingress.start_to_ready_ms", startUp, "ms")
        let load = LoadGenerator(port: port, bodies: corpus.notifications.map(\.body))
        _ = try load.run(connections: 64, seconds: 1)
        for connections in [1, 64, 256] {
            let before = ingress.cpuSeconds
            let result = try load.run(connections: connections, seconds: seconds)
            let cpu = (ingress.cpuSeconds - before) / Double(max(1, result.accepted))
            guard result.other == 0 else { throw Failure(message: "\(result.other) answers were not 200") }
            let name = "ingress.\(connections)"
            report.add("\(name).per_second", Double(result.accepted) / result.seconds, "notifications/s", digits: 0)
            report.add("\(name).p50_ms", result.latencies.percentile(0.5), "ms", digits: 2)
            report.add("\(name).p99_ms", result.latencies.percentile(0.99), "ms", digits: 2)
            report.add("\(name).cpu_us", cpu * 1e6, "us CPU of the ingress each")
        }
        report.add("ingress.resident_mib", ingress.residentMiB, "MiB")
        try idle(ingress, &report)
        guard ingress.stop() == 0, broker.stop() == 0 else { throw Failure(message: "a process did not exit with 0") }
    }

    /// CPU of a process that nobody asks anything, over two seconds.
    private func idle(_ ingress: ChildProcess, _ report: inout BenchReport) throws {
        let before = ingress.cpuSeconds
        Thread.sleep(forTimeInterval: 2)
        report.add("ingress.idle_cpu_share", (ingress.cpuSeconds - before) / 2 * 100, "% of a core")
    }
}
