internal import AppStoreSigning
internal import AppStoreVerification
import CommandLine
internal import Configuration
internal import Cryptography
internal import Foundation
internal import Lifecycle
internal import Primitives
internal import Simulator
internal import Telemetry

/// Measures the design goals as ratios within one run on one machine. Verification is compared with bare signature
/// checks and with published libraries, and the ingress is measured with a broker.
@main
struct SluiceBench {
    static let output = Setting.string(
        "output", default: ".build/bench.json", help: "File for the results as JSON."
    ).onCommandLineOnly
    static let seconds = Setting.integer(
        "seconds", default: 3, in: 1...600, help: "Duration of each load."
    ).onCommandLineOnly
    static let rounds = Setting.integer(
        "rounds", default: 5, in: 1...1000, help: "Number of alternating rounds, whose median is reported."
    ).onCommandLineOnly
    static let bodies = Setting.integer(
        "bodies", default: 2000, in: 16...100_000, help: "Number of distinct notifications in the corpus."
    ).onCommandLineOnly
    static let quick = Setting.flag("quick", help: "Run one round of one second each, for a rough impression.")
    static let strict = Setting.flag("strict", help: "Exit with 1 if a figure misses its target.")

    static let peers = Setting.flag(
        "peers", help: "Also measure published libraries and other consumers for the same purpose, where available.")

    static let consumers = Setting.string(
        "consumers", default: "../shared/peers/consumers",
        help: "Directory of the other consumers' programs: quix_peer.py and java/PostgresPeer.java.")

    static let onlyIngress = Setting.flag(
        "only-ingress", help: "Run only the benchmarks of verification and the ingress.")

    static let onlyPeers = Setting.flag("only-peers", help: "Run only the comparison with published libraries.")

    static let onlyConsumers = Setting.flag(
        "only-consumers", help: "Run only the comparison of sluice-entitlements with other consumers.")

    static let onlyEntitlements = Setting.flag("only-entitlements", help: "Run only the benchmarks of entitlements.")

    static let onlyRestore = Setting.flag("only-restore", help: "Run only the benchmark of a restore.")

    static let restoreRows = Setting.integer(
        "restore-rows", default: 200_000, in: 1...100_000_000,
        help: "Maximum number of rows restored from Apache Kafka; each notification of --bodies gives up to 799."
    ).onCommandLineOnly

    static let onlyExplain = Setting.flag(
        "only-explain", help: "Run only the benchmark of sluicectl explain, on Apache Kafka.")

    static let explainRecords = Setting.integer(
        "explain-records", default: 1_000_000, in: 1...100_000_000,
        help: """
            Maximum number of notifications that sluicectl explain searches; each notification of --bodies gives up to \
            799.
            """
    ).onCommandLineOnly

    static let onlyLegacy = Setting.flag("only-legacy", help: "Run only the benchmarks of version 1.")

    static let onlyTracing = Setting.flag("only-tracing", help: "Run only the benchmark of traces.")

    static let onlyArchive = Setting.flag("only-archive", help: "Run only the benchmarks of the archive.")

    static let command = Command(
        "sluice-bench",
        summary: "Measures verification, ingress, entitlements and the archive; prints ratios and writes JSON.",
        discussion: """
            Requires release builds of sluice-ingress, sluice-entitlements, sluice-archive, sluice-dev-broker and \
            sluicectl in the same directory; `make bench` creates them. With --peers it downloads published libraries from their \
            registries: Apple's for Python, Node and Java, and a Rust crate, each if its toolchain is installed and \
            its registry reachable. It also compares sluice-entitlements with the consumers in the directory \
            --consumers, on the Apache Kafka of KAFKA_HOME.
            """,
        schema: ConfigurationSchema([
            output, seconds, rounds, bodies, quick, strict, peers, consumers, onlyIngress, onlyPeers, onlyConsumers,
            onlyEntitlements, onlyRestore, restoreRows, onlyExplain, explainRecords, onlyLegacy, onlyTracing,
            onlyArchive,
        ]),
        examples: [
            .init("make bench", "Build for release and measure."),
            .init("make bench QUICK=1", "Run a shorter measurement."),
            .init("make bench PEERS=1", "Compare with published libraries on the same notifications."),
        ], version: Build.version)

    static func main() async throws {
        // The limit is the same as in the ingress.
        MemoryArenas.limit()
        try initializeCryptography()
        let configuration = command.parseOrExit().configuration
        let isQuick = configuration[quick]
        let rounds = isQuick ? 1 : configuration[rounds]
        let seconds = isQuick ? 1 : Double(configuration[seconds])
        let now = SystemClock.wallMilliseconds()
        print("creating a corpus of \(configuration[bodies]) notifications")
        let app = SimulatedApp.bench
        let responder = try RevocationResponder()
        let pki = try responder.makeCertificates(at: now / 1000)
        let corpus = try NotificationCorpus(
            count: configuration[bodies], seed: 1, pki: pki, app: app, scenarios: Scenario.renewals, endingAt: now)
        let probes = try Probes(bodies: corpus.notifications.map(\.body), pki: pki, app: app, at: now)
        let probe = probes.evp

        var report = BenchReport()
        let entitlements = EntitlementsBenchmark(verified: try probe.verified(), now: now, isQuick: isQuick)
        let reading = ReadingBenchmark(verified: try probe.verified(), now: now, rounds: rounds)
        let restore = RestoreBenchmark(
            verified: try probe.verified(), now: now, rows: configuration[restoreRows], isQuick: isQuick)
        let explain = ExplainBenchmark(
            verified: try probe.verified(), now: now, records: isQuick ? 20_000 : configuration[explainRecords])
        let legacy = LegacyBenchmark(app: app, now: now, rounds: rounds, seconds: seconds)
        let verification = VerificationBenchmark(probes: probes, rounds: rounds)
        let ingress = IngressBenchmark(
            probes: probes, pki: pki, app: app, rounds: rounds, seconds: seconds)
        let peers = PeerBenchmark(
            probes: probes, pki: pki, app: app, rounds: rounds,
            directory: URL(fileURLWithPath: configuration[output]).deletingLastPathComponent()
                .appendingPathComponent("peers").path)
        let consumers = ConsumerPeersBenchmark(
            verified: try probe.verified(), now: now, rounds: isQuick ? 1 : min(rounds, 3), isQuick: isQuick,
            sources: configuration[self.consumers], directory: peers.directory)
        let archive = ArchiveBenchmark(verified: try probe.verified(), now: now, isQuick: isQuick)
        if configuration[onlyArchive] {
            try await archive.run(into: &report)
        } else if configuration[onlyRestore] {
            try await restore.run(into: &report)
        } else if configuration[onlyExplain] {
            try await explain.run(into: &report)
        } else if configuration[onlyTracing] {
            try ingress.runTracing(into: &report)
        } else if configuration[onlyLegacy] {
            try legacy.run(into: &report)
        } else if configuration[onlyEntitlements] {
            try reading.run(into: &report)
            try RenewalBenchmark(rounds: rounds).run(into: &report)
            try await entitlements.run(into: &report)
        } else if configuration[onlyIngress] {
            try verification.run(into: &report)
            try FixedKeyBenchmark(probe: probe, rounds: rounds).run(into: &report)
            try ingress.run(into: &report)
        } else if configuration[onlyPeers] {
            peers.run(into: &report)
        } else if configuration[onlyConsumers] {
            try await consumers.run(into: &report)
        } else {
            try RecordSizeBenchmark(pki: pki, app: app, now: now).run(into: &report)
            try verification.run(into: &report)
            try FixedKeyBenchmark(probe: probe, rounds: rounds).run(into: &report)
            try await HTTPBenchmark(bodies: probe.bodies, rounds: rounds, seconds: seconds / 2).run(into: &report)
            try ingress.run(into: &report)
            try legacy.run(into: &report)
            try reading.run(into: &report)
            try RenewalBenchmark(rounds: rounds).run(into: &report)
            try await entitlements.run(into: &report)
            try await restore.run(into: &report)
            try await explain.run(into: &report)
            try await archive.run(into: &report)
            if configuration[self.peers] {
                peers.run(into: &report)
                try await consumers.run(into: &report)
            }
        }
        await responder.stop()

        try report.write(to: configuration[output])
        print("\nwritten to \(configuration[output])")
        guard !report.missed.isEmpty else { return print("every figure met its target") }
        print("missed: \(report.missed.joined(separator: ", "))")
        if configuration[strict] { exit(1) }
    }
}
