import AppStoreModel
import CommandLine
import Configuration
import PipelineRuntime
import Reconciliation
import TestSupport
import Testing

@testable import Reconciler
@testable import Simulator

/// The range that a sweep reads.
@Suite struct SweepConfigurationTests {
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour
    private static let now = VirtualClock.start

    private func sweeps() throws -> SweepConfiguration {
        let directory = try TemporaryDirectory()
        _ = try SimulatedAPIKey.credentials(in: directory.path)
        let app = "com.example.app"
        let arguments = [
            "--apps", "\(app):1234567890", "--appstore.api.issuer.id", SimulatedAPIKey.issuerId,
            "--appstore.api.key.id", SimulatedAPIKey.keyId, "--appstore.api.key.file",
            directory.file(SimulatedAPIKey.fileName), "--data.dir", directory.path,
        ]
        guard
            case .run(let invocation) = ReconcilerApplication.application.command.parse(arguments, environment: [:])
        else { throw ReconcilerInstallation.NoConfiguration() }
        return try SweepConfiguration(invocation.configuration)
    }

    /// Returns a sweep whose last complete run began the given time ago.
    private func sweep(
        _ kind: SweepKind, _ sweeps: SweepConfiguration, lastBegunBefore age: Int64?,
        in environment: AppStoreEnvironment = .production
    ) -> Sweep {
        var sweep = Sweep(environment, BundleId("com.example.app"), kind)
        guard let age else { return sweep }
        let run = sweeps.run(of: sweep, at: Self.now - age)
        sweep.begin(run)
        sweep.finish(run, at: Self.now, nextAt: Self.now)
        return sweep
    }

    @Test(
        arguments: [
            (SweepKind.everything, nil, 48), (.everything, 24, 48), (.failures, nil, 168), (.failures, 1, 168),
        ] as [(SweepKind, Int64?, Int64)])
    func `a run covers its usual range when the last complete run is recent`(
        _ kind: SweepKind, _ hoursAgo: Int64?, _ hours: Int64
    ) throws {
        let sweeps = try sweeps()
        let before = sweep(kind, sweeps, lastBegunBefore: hoursAgo.map { $0 * Self.hour })
        let run = sweeps.run(of: before, at: Self.now)
        #expect(run.range.to == Self.now - sweeps.settle)
        #expect(run.range.to - run.range.from == hours * Self.hour)
        #expect(!sweeps.isLonger(run, of: kind))
    }

    @Test(arguments: [(SweepKind.everything, 3), (.everything, 40), (.failures, 9)] as [(SweepKind, Int64)])
    func `a run reaches back to the last complete run, regardless of its age`(
        _ kind: SweepKind, _ days: Int64
    ) throws {
        let sweeps = try sweeps()
        let before = sweep(kind, sweeps, lastBegunBefore: days * Self.day)
        let run = sweeps.run(of: before, at: Self.now)
        let end = try #require(before.last?.range.to)
        #expect(run.range.from < end && end - run.range.from <= 2 * Self.hour)
        #expect(run.range.to == Self.now - sweeps.settle)
        #expect(sweeps.isLonger(run, of: kind))
    }

    @Test(arguments: [(AppStoreEnvironment.production, 180), (.sandbox, 30)] as [(AppStoreEnvironment, Int64)])
    func `no run reaches further back than Apple's history`(
        _ environment: AppStoreEnvironment, _ days: Int64
    ) throws {
        let sweeps = try sweeps()
        let before = sweep(.everything, sweeps, lastBegunBefore: 300 * Self.day, in: environment)
        let run = sweeps.run(of: before, at: Self.now)
        #expect(run.range.from == Self.now - days * Self.day + Self.hour)
    }
}
