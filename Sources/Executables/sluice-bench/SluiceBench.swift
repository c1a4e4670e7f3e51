internal import AppStoreSigning
internal import AppStoreVerification
internal import Configuration
internal import Cryptography
internal import Foundation
internal import Simulator
internal import Telemetry

/// Measures what the design promises, in one run on one machine, as ratios: the verification path against bare
/// signature checks, and the ingress with a broker behind it.
@main
struct SluiceBench {
    static let output = Setting.string(
        "output", default: ".build/bench.json", help: "Where the results go as JSON."
    ).onCommandLineOnly
    static let seconds = Setting.integer(
        "seconds", default: 4, in: 1...600, help: "How long each load on the ingress lasts."
    ).onCommandLineOnly
    static let rounds = Setting.integer(
        "rounds", default: 15, in: 3...1000, help: "Alternating rounds of the verification measurement."
    ).onCommandLineOnly
    static let bodies = Setting.integer(
        "bodies", default: 2000, in: 16...100_000, help: "Different notifications in the corpus."
    ).onCommandLineOnly

    static let command = Command(
        "sluice-bench", summary: "Measures verification and ingress; prints ratios and writes JSON.",
        discussion: "Needs release builds of sluice-ingress and sluice-dev-broker beside it; `make bench` makes them.",
        schema: ConfigurationSchema([output, seconds, rounds, bodies]),
        examples: [.init("make bench", "Builds for release and measures.")], version: Build.version)

    static func main() async throws {
        try initializeCryptography()
        let configuration = command.parseOrExit().configuration
        let now = Logger.wallClockMilliseconds()
        print("making a corpus of \(configuration[bodies]) notifications")
        let app = SimulatedApp.bench
        let pki = try ThrowawayPKI(ThrowawayPKI.Options(now: now / 1000))
        let corpus = try NotificationCorpus(
            count: configuration[bodies], seed: 1, pki: pki, app: app, scenarios: Scenario.renewals, endingAt: now)
        var report = BenchReport()
        try VerificationBenchmark(corpus: corpus, pki: pki, app: app, rounds: configuration[rounds])
            .run(at: now, into: &report)
        try IngressBenchmark(corpus: corpus, pki: pki, app: app, seconds: configuration[seconds]).run(into: &report)
        try report.write(to: configuration[output])
        print("\nwritten to \(configuration[output])")
    }
}
