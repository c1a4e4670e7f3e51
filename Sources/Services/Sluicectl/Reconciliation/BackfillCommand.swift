internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import Lifecycle
internal import Primitives
internal import Reconciliation
internal import Records

/// `sluicectl backfill`: asks sluice-reconciler to sweep a time range. The request is a record in the reconciliation
/// topic, so it outlives this command and any member. Progress is read from the admin listener.
struct BackfillCommand {
    let configuration: Configuration
    let clocks: Clocks
    /// Timeout for the brokers' first response.
    let timeout: Duration
    /// The interval between progress requests.
    var pause: Duration = .seconds(1)

    private var environment: AppStoreEnvironment { configuration[OperationsSettings.environment] }
    private var bundleId: BundleId { BundleId(configuration[OperationsSettings.backfillApp]) }
    private var page: ReconcilerPage { ReconcilerPage(configuration: configuration) }

    func run(_ interruption: Interruption, _ console: Console) async throws -> ExitCode {
        let now = clocks.wallMilliseconds()
        let range = try range(at: now, console)
        let known = try await page.sweeps()
        guard !known.isEmpty else {
            throw StartupError(
                "sluice-reconciler is still loading its sweeps",
                fix: "Run the command again once sluice-reconciler's /readyz returns 200")
        }
        guard known.contains(where: { $0.bundleId == bundleId && $0.environment == environment }) else {
            throw StartupError(
                "sluice-reconciler has no key for \(PlainText.printable(bundleId.rawValue)) in \(environment)",
                fix: "List its apps with: sluicectl reconcile report")
        }
        let id = "\(now)-\(String(UInt16.random(in: 0...UInt16.max), radix: 16))"
        var sweep = Sweep(environment, bundleId, .backfill(id))
        sweep.request = Sweep.Request(
            range: range, isDryRun: configuration[OperationsSettings.backfillDryRun], requestedAt: now)
        try await SweepRequests(configuration: configuration, timeout: timeout).write(sweep)
        console.complain("backfill \(id): requested; it continues after this command ends")
        guard !configuration[OperationsSettings.noWait] else {
            await console.write(configuration, text: id + "\n", json: sweep.jsonText)
            return .ok
        }
        guard let done = try await follow(sweep, interruption, console) else {
            console.complain("for progress, run: sluicectl reconcile report")
            return .failure
        }
        await console.write(
            configuration, text: SweepText.table([done]) + SweepText.details([done]), json: done.jsonText)
        guard let complaint = done.last.flatMap(Self.complaint) else { return .ok }
        console.complain("backfill \(id): \(complaint)")
        return .failure
    }

    /// Returns the reason that a backfill is incomplete, or nil if it published everything.
    static func complaint(about run: SweepRun) -> String? {
        let (rest, unread) = (run.counts.notBroughtIn, run.counts.unread)
        guard !run.isCancelled else { return "cancelled; published so far: \(run.counts.published)" }
        guard rest > 0 || unread > 0 else { return nil }
        var problems: [String] = []
        if rest > 0 { problems.append("\(rest) not published: see sluicectl quarantine list") }
        if unread > 0 {
            problems.append(
                "\(unread) windows could not be read: list them with sluicectl reconcile report, then try again with "
                    + "sluicectl backfill")
        }
        return "incomplete; " + problems.joined(separator: "; ")
    }

    private func range(at now: Int64, _ console: Console) throws(StartupError) -> SweepRange {
        let from = configuration[OperationsSettings.backfillFrom].millisecondsSince1970
        let to = configuration[OperationsSettings.backfillTo]?.millisecondsSince1970 ?? now
        guard from < to, from < now else {
            throw StartupError(
                "the range is empty", setting: OperationsSettings.backfillFrom.key,
                fix: "Set --from to a time that is before --to and in the past", exitCode: .usage)
        }
        if from < now - SweepKind.reach(environment) {
            console.complain(
                "in \(environment), Apple's history covers only \(environment == .production ? 180 : 30) days"
            )
        }
        return SweepRange(from: from, to: min(to, now))
    }

    /// Maximum number of consecutive polls without a response. The admin listener may be restarting.
    private static let missedLooks = 60

    /// Prints progress until the sweep is complete. Returns nil if the command was interrupted.
    ///
    /// - Throws: a `StartupError` if the admin listener remains unresponsive for too long.
    private func follow(_ asked: Sweep, _ interruption: Interruption, _ console: Console) async throws -> Sweep? {
        var shown = ""
        var missed = 0
        while !interruption.isRequested {
            var sweep: Sweep?
            do throws(StartupError) {
                sweep = try await page.sweeps().first { $0.key == asked.key && $0.environment == asked.environment }
                missed = 0
            } catch {
                missed += 1
                guard missed < Self.missedLooks else { throw error }
                if missed == 1 { console.complain("\(PlainText.printable(error.problem)); the backfill continues") }
            }
            if let sweep, let run = sweep.run {
                let line = run.failure.map { "waits: \($0.message)" } ?? SweepText.bar(run)
                if line != shown { console.complain(PlainText.printable(line)) }
                shown = line
                if sweep.last != nil { return sweep }
            }
            try await Task.sleep(for: pause)
        }
        return nil
    }
}
