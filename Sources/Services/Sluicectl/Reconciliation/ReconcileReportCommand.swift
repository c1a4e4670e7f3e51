internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import Lifecycle
internal import Reconciliation

/// `sluicectl reconcile report`: prints the results and progress of sweeps of Apple's history.
struct ReconcileReportCommand {
    let configuration: Configuration

    func run(_ console: Console) async throws -> ExitCode {
        let app = configuration[OperationsSettings.app]
        let sweeps = try await ReconcilerPage(configuration: configuration).sweeps()
            .filter { app == nil || $0.bundleId.rawValue == app }
            .sorted { Self.order($0) < Self.order($1) }
        await console.write(
            configuration, text: SweepText.table(sweeps) + SweepText.details(sweeps), lines: sweeps.map(\.jsonText))
        return .ok
    }

    private static func order(_ sweep: Sweep) -> (String, String, String) {
        (sweep.bundleId.rawValue, sweep.environment.rawValue, sweep.kind.text)
    }
}
