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
        switch configuration[OperationsSettings.output] {
        case .json: for sweep in sweeps { await console.write(line: sweep.jsonText) }
        case .text: await console.write(SweepText.table(sweeps) + SweepText.details(sweeps))
        }
        return .ok
    }

    private static func order(_ sweep: Sweep) -> (String, String, String) {
        (sweep.bundleId.rawValue, sweep.environment.rawValue, sweep.kind.text)
    }
}
