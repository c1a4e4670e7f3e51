internal import AppStoreSigning
internal import Cryptography
internal import Foundation
internal import Primitives
internal import Simulator

/// Measures the memory of an ingress with the maximum number of key tables that receives notifications signed with all
/// of these keys.
struct TablesMemoryBenchmark {
    let bootstrapServers: String
    let app: SimulatedApp

    private static let keys = 4
    private static let notificationsOfKey = 64
    private static let ready = "precomputed key table in use"

    func run(into report: inout BenchReport) throws {
        report.section("ingress with tables of four keys")
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-bench-keys-\(getpid())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let now = SystemClock.wallMilliseconds()
        var roots: [String] = []
        var bodies: [[UInt8]] = []
        for number in 0..<Self.keys {
            let pki = try TestCertificateAuthority(TestCertificateAuthority.Options(now: now / 1000))
            let root = directory.appendingPathComponent("\(number).der")
            try Data(pki.root.der).write(to: root)
            roots.append(root.path)
            let corpus = try NotificationCorpus(
                count: Self.notificationsOfKey, seed: UInt64(number), pki: pki, app: app,
                scenarios: Scenario.renewals, endingAt: now)
            bodies += corpus.notifications.map(\.body)
        }
        let surroundings = IngressProcess.Surroundings(
            bootstrapServers: bootstrapServers, app: app, roots: roots, bodies: bodies)
        let ingress = try IngressProcess(surroundings, settings: ["verification.tables": "on"])
        let deadline = Clocks.monotonic + 30e9
        // The ingress creates one table at a time, so post notifications of all keys until every key has a table.
        while ingress.child.count(of: Self.ready) < Self.keys {
            guard Clocks.monotonic < deadline else {
                try ingress.child.stop()
                return report.skip("tables.memory_peak_mib", because: "this libcrypto does not support key tables")
            }
            _ = try ingress.generator.run(.init(connections: 64, requests: bodies.count, seconds: 5))
        }
        _ = try ingress.turn(.init(connections: 256, seconds: 2))
        report.add("tables.memory_mib", ingress.child.memory.now, "MiB resident")
        report.add("tables.memory_peak_mib", ingress.child.memory.peak, "MiB resident", bar: .atMost(64))
        try ingress.child.stop()
    }
}
