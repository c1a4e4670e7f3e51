internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import KeyedState
internal import Primitives
internal import Reconciliation
internal import Records

/// The scope, frequency and range of the sweeps. Times are in milliseconds.
struct SweepConfiguration: Sendable {
    struct Schedule: Sendable {
        let interval: Int64
        /// The minimum range of a run. A run reaches further back if more time has passed since the last complete run.
        let range: Int64
        /// The length of a window. A window is halved if its token expires before all pages have been read.
        let window: Int64
    }

    let scopes: [APIScope]
    let failures: Schedule
    let everything: Schedule
    /// The interval between comparisons with Apple's statuses.
    let statusesInterval: Int64
    /// Whether to publish Apple's signed status if it differs from the published one.
    let repairsStatuses: Bool
    let backfillWindow: Int64 = 6 * 3_600_000
    /// The overlap with the previous run, needed because Apple's history may list a notification late.
    private let overlap: Int64 = 3_600_000
    let settle: Int64
    let outage: Int64
    /// The share of Apple's limit used for each endpoint. The limit is 50 requests per second, or 5 in the sandbox.
    let budgetShare: Double
    let api: AppStoreSettings.API

    /// - Throws: a `ConfigurationError` if the apps or credentials are unusable, no app has credentials, a range leaves
    ///   a gap between two sweeps, or this member does not read every partition.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        let (apps, api) = (try AppStoreSettings.apps(configuration), try AppStoreSettings.api(configuration))
        scopes = apps.filter { api.configuration.credentials[$0.bundleId] != nil }.flatMap { app in
            AppStoreEnvironment.published.filter(app.environments.contains).map {
                APIScope(app.bundleId, in: $0, priority: .background)
            }
        }
        guard !scopes.isEmpty else {
            throw configuration.error(
                AppStoreSettings.apiKeyFile.key,
                "is not set: no app has an App Store Server API key. Set it together with the issuer id and key id."
            )
        }
        func milliseconds(_ setting: Setting<Duration>) -> Int64 { configuration[setting].clampedMilliseconds }
        failures = Schedule(
            interval: milliseconds(ReconcilerSettings.failuresInterval),
            range: milliseconds(ReconcilerSettings.failuresRange), window: 86_400_000)
        everything = Schedule(
            interval: milliseconds(ReconcilerSettings.everythingInterval),
            range: milliseconds(ReconcilerSettings.everythingRange), window: 6 * 3_600_000)
        statusesInterval = milliseconds(ReconcilerSettings.statusesInterval)
        repairsStatuses = configuration[ReconcilerSettings.statusesRepair]
        settle = milliseconds(ReconcilerSettings.settle)
        outage = milliseconds(ReconcilerSettings.outage)
        budgetShare = Double(configuration[ReconcilerSettings.callsPerSecond]) / 50
        self.api = api
        for (schedule, key) in [
            (failures, ReconcilerSettings.failuresRange.key), (everything, ReconcilerSettings.everythingRange.key),
        ] where schedule.range < schedule.interval + settle {
            throw configuration.error(key, "leaves gaps: it must be longer than the interval between two sweeps.")
        }
        guard configuration[StateSettings.role] == .all else {
            throw configuration.error(
                StateSettings.role.key, "sluice-reconciler must read every partition; set it to all, or remove it.")
        }
    }

    /// The regular sweeps for every app and environment.
    var sweeps: [Sweep] {
        scopes.flatMap { scope in
            [SweepKind.failures, .everything, .statuses].map { Sweep(scope.environment, scope.bundleId, $0) }
        }
    }

    func scope(of sweep: Sweep) -> APIScope? {
        scopes.first { $0.bundleId == sweep.bundleId && $0.environment == sweep.environment }
    }

    func window(of kind: SweepKind) -> Int64 {
        switch kind {
        case .failures: failures.window
        case .everything: everything.window
        case .backfill: backfillWindow
        case .statuses: 1
        }
    }

    /// Returns a run that begins now.
    func run(of sweep: Sweep, at now: Int64) -> SweepRun {
        let end = now - settle
        // Stay slightly within Apple's limit, to allow for clock differences.
        let first = now - SweepKind.reach(sweep.environment) + 3_600_000
        let isWanted = sweep.wantedAt.map { $0 > sweep.run?.startedAt ?? .min } ?? false
        let range: SweepRange
        switch sweep.kind {
        case .failures: range = self.range(failures, after: sweep.last, first: first, end: end)
        case .everything: range = self.range(everything, after: sweep.last, first: first, end: end)
        // Current statuses have no range.
        case .statuses: range = SweepRange(from: now - 1, to: now)
        case .backfill:
            let wish = sweep.request?.range ?? SweepRange(from: end, to: end)
            range = SweepRange(from: max(wish.from, first), to: min(wish.to, end))
        }
        return SweepRun(
            startedAt: now, range: range, windows: window(of: sweep.kind),
            isDryRun: sweep.request?.isDryRun ?? false, isWanted: isWanted)
    }

    /// Returns a run's range, which ends at `end`. The range covers at least the usual range and, within Apple's limit,
    /// the time since the range of the last complete run. That time may be long: the reconciler may have been down, or
    /// the previous run may have taken days.
    private func range(_ schedule: Schedule, after last: SweepRun?, first: Int64, end: Int64) -> SweepRange {
        let usual = end - schedule.range
        let from = last.map { min(usual, $0.range.to - overlap) } ?? usual
        return SweepRange(from: min(max(from, first), usual), to: end)
    }

    /// Returns whether a run reaches further back than usual, which it does if the previous complete run is too old.
    func isLonger(_ run: SweepRun, of kind: SweepKind) -> Bool {
        switch kind {
        case .failures: run.range.to - run.range.from > failures.range
        case .everything: run.range.to - run.range.from > everything.range
        case .statuses, .backfill: false
        }
    }

    /// Returns the start time of the run after one that has just ended, or nil if there is none.
    func next(after run: SweepRun, of kind: SweepKind, at now: Int64) -> Int64? {
        switch kind {
        // A run requested after an outage omits the last minutes, as `settle` requires. The next run starts as soon as
        // it can cover them.
        case .failures: run.isWanted ? now + settle + 60_000 : run.startedAt + failures.interval
        case .everything: run.startedAt + everything.interval
        case .statuses: run.startedAt + statusesInterval
        case .backfill: nil
        }
    }
}
