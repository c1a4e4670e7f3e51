internal import CommandLine
internal import Configuration
internal import Lifecycle
internal import Primitives
internal import Reconciliation

/// `sluicectl reconcile cancel`: requests that sluice-reconciler stop a backfill, which ends at its next page.
struct CancelCommand {
    let configuration: Configuration
    let clocks: Clocks
    /// Timeout for the brokers' first response.
    let timeout: Duration

    /// - Parameter id: the id of the backfill, with or without the prefix `backfill-`.
    func run(_ id: String, _ console: Console) async throws -> ExitCode {
        let kind = SweepKind(id).flatMap { $0.isBackfill ? $0 : nil } ?? .backfill(id)
        let known = try await ReconcilerPage(configuration: configuration).sweeps()
        guard let found = known.first(where: { $0.kind == kind }) else {
            throw StartupError(
                "no backfill has the id \(PlainText.printable(id))",
                fix: "List backfills with: sluicectl reconcile report")
        }
        guard found.last == nil else {
            throw StartupError("the backfill \(PlainText.printable(id)) has ended", fix: "There is nothing to cancel")
        }
        var sweep = Sweep(found.environment, found.bundleId, kind)
        sweep.cancelledAt = clocks.wallMilliseconds()
        try await SweepRequests(configuration: configuration, timeout: timeout).write(sweep)
        console.complain("requested; the backfill ends at its next page. To check, run: sluicectl reconcile report")
        switch configuration[OperationsSettings.output] {
        case .json: await console.write(line: sweep.jsonText)
        case .text: break
        }
        return .ok
    }
}
