internal import AppStoreModel
internal import AppStoreServerAPI
internal import Kafka
internal import KeyedState
internal import Lifecycle
internal import OperatorEvents
internal import PipelineRuntime
internal import Primitives
internal import Reconciliation
internal import Records
internal import Synchronization
internal import Telemetry

/// Runs the sweeps that are due in this member's partitions. At most one sweep of each kind runs at a time, and a long
/// sweep does not block sweeps of other kinds. All sweeps share the API budget.
///
/// The owner of a sweep's partition runs the sweep. Progress is saved in the row, and the next owner, or this process
/// after a crash, continues from it.
final class SweepScheduler: Service {
    let name = "sweep scheduler"

    private struct Present {
        var lanes = SweepLanes()
        /// Regular sweeps without a known row.
        var lacking: [Sweep] = []
        /// The environments in which the ingress may have been unavailable, each with the time at which notifications
        /// resumed.
        var wanted: [AppStoreEnvironment: Int64] = [:]
        /// All sweeps in the installation, for the admin page.
        var listing: [Sweep] = []

        /// Returns whether the sweep of failed deliveries for the same app is known and neither running nor due, here
        /// or on another member. That sweep is small and may involve deadlines, so it runs before a full sweep starts.
        /// A full sweep that is already running does not wait for it.
        func areFailuresRead(of everything: Sweep, at now: Int64) -> Bool {
            guard let failures = listing.first(where: { $0.kind == .failures && $0.isOfSameApp(as: everything) })
            else { return false }
            return !failures.isDue(at: now) && lanes[.failures]?.isOfSameApp(as: everything) != true
        }
    }

    private let state: KeyedState<ReconcilerModel>
    private let topics: TopicNames
    private let sweeps: SweepConfiguration
    private let history: HistorySweeper
    private let statuses: StatusSweeper
    private let clocks: Clocks
    private let metrics: ReconcilerMetrics
    private let logger: Logger
    private let log: RateLimitedLogger
    private let due: DueWork<SweepLanes.Lane>
    private let groupPause: GroupPause
    private let events: OperatorEvents?
    private let present: Mutex<Present>

    /// - Parameters:
    ///   - groupPause: the group's pause, during which no sweep runs.
    ///   - due: the jobs, which end when a partition is revoked.
    init(
        state: KeyedState<ReconcilerModel>, topics: TopicNames, sweeps: SweepConfiguration, history: HistorySweeper,
        statuses: StatusSweeper, clocks: Clocks, metrics: ReconcilerMetrics, logger: Logger,
        groupPause: GroupPause, events: OperatorEvents?, due: DueWork<SweepLanes.Lane>
    ) {
        self.state = state
        self.topics = topics
        self.sweeps = sweeps
        self.history = history
        self.statuses = statuses
        self.clocks = clocks
        self.metrics = metrics
        self.logger = logger
        log = RateLimitedLogger(logger, perSecond: 1)
        self.due = due
        self.groupPause = groupPause
        self.events = events
        present = Mutex(Present(lacking: sweeps.sweeps))
    }

    /// Checks for due sweeps now.
    func wake() { due.wake() }

    /// Requests a sweep of failed deliveries after an environment's notifications have resumed.
    func recovered(_ environment: AppStoreEnvironment, at moment: Int64) {
        present.withLock { $0.wanted[environment] = max(moment, $0.wanted[environment] ?? moment) }
        metrics.recovered()
        wake()
    }

    /// All sweeps that this member has read, as `{"sweeps":[…]}`.
    var page: [UInt8] { SweepListing.json(present.withLock { $0.listing }) }

    // MARK: Service

    func start() async throws {}

    func run() async throws {
        await due.run { await self.look() }
        // Either `stop` ended the loop, or the task was cancelled.
        try await rest()
    }

    /// Stops the scheduler. Unfinished sweeps continue from their last page, here or on another member.
    func stop(within limit: Duration) async { await due.stop(.cancelled) }

    // MARK: Due work

    private func look() async {
        guard state.obstacle == nil else { return }
        do {
            try await addLacking()
            try await addWanted()
            present.withLock { $0.lanes.beginLook() }
            let owned = try state.dueRows(upTo: .max, atMost: 10_000).compactMap(\.sweep)
            metrics.present(owned.filter { sweeps.scope(of: $0) != nil })
            try await list()
            begin(owned)
        } catch {
            guard !(error is CancellationError) else { return }
            log.log(.warning, key: "due", "failed to read due sweeps", [LogField(.error, "\(error)")])
        }
    }

    private func begin(_ owned: [Sweep]) {
        guard !groupPause.isPaused else {
            // The jobs have saved their progress, and continue once the group resumes.
            return due.cancel()
        }
        let now = clocks.wallMilliseconds()
        let waiting = owned.filter { $0.isDue(at: now) }.sorted { Self.rank($0) < Self.rank($1) }
        // Cancel the jobs of running sweeps that should stop. Each job has saved its progress; a later check records
        // that the sweep ended.
        let ending = waiting.filter(\.isToEnd)
        let lanes = present.withLock(\.lanes)
        due.cancel { lane in ending.contains { SweepLanes.Lane($0.kind) == lane && lanes[lane]?.key == $0.key } }
        due.begin {
            present.withLock { present in
                waiting.compactMap { sweep in
                    if SweepLanes.Lane(sweep.kind) == .everything, !present.areFailuresRead(of: sweep, at: now) {
                        return nil
                    }
                    let scope = sweeps.scope(of: sweep)
                    guard sweep.isToEnd || scope != nil, let lane = present.lanes.begin(sweep) else { return nil }
                    return (
                        lane,
                        {
                            await self.run(sweep, scope)
                            self.present.withLock { $0.lanes.end(lane) }
                        }
                    )
                }
            }
        }
    }

    private static func rank(_ sweep: Sweep) -> (Int64, String) { (sweep.due ?? .max, sweep.key) }

    /// Creates missing rows for the regular sweeps.
    private func addLacking() async throws {
        for sweep in present.withLock({ $0.lacking }) {
            try await merge(sweep)
            present.withLock { $0.lacking.removeAll { $0.key == sweep.key && $0.environment == sweep.environment } }
        }
    }

    private func addWanted() async throws {
        for (environment, moment) in present.withLock({ $0.wanted }) {
            for scope in sweeps.scopes where scope.environment == environment {
                var sweep = Sweep(environment, scope.bundleId, .failures)
                sweep.wantedAt = moment
                try await merge(sweep)
            }
            present.withLock { if $0.wanted[environment] == moment { $0.wanted[environment] = nil } }
            logger.info(
                "notifications resumed after a gap; scheduling a sweep", [LogField(.environment, environment.rawValue)])
        }
    }

    /// Merges a sweep into its row, regardless of the partition's owner.
    private func merge(_ sweep: Sweep) async throws {
        let row = ReconciliationRow.sweep(sweep)
        _ = try await state.contribute(to: row.key, from: topics.notifications(sweep.environment), orTo: row) { _ in
            row
        }
    }

    /// The maximum number of sweeps in one read of the listing.
    private static let listedAtOnce = 1_000

    private func list() async throws {
        var sweeps: [Sweep] = []
        for environment in AppStoreEnvironment.published {
            let topic = topics.reconciliation(environment)
            var after: String? = ""
            while let last = after {
                let found = try await state.reader().read { view in
                    try view.states(
                        withEntry: ReconcilerModel.sweepEntry, after: last, in: topic, atMost: Self.listedAtOnce)
                }.compactMap(\.sweep)
                sweeps += found
                after = found.count == Self.listedAtOnce ? found.last?.key : nil
            }
        }
        present.withLock { $0.listing = sweeps }
    }

    // MARK: Running a sweep

    /// - Parameter scope: the sweep's scope, or nil if the app is no longer configured and its backfills can only be
    ///   cancelled.
    private func run(_ due: Sweep, _ scope: APIScope?) async {
        var sweep = due
        let begun = clocks.monotonicMilliseconds()
        do {
            if !sweep.isRunning { begin(&sweep) }
            guard let run = sweep.run else { return }
            guard !sweep.isToEnd else { return try await cancel(&sweep, run) }
            guard let scope else { return }
            try await save(sweep)
            let failures = run.failure?.count ?? 0
            let saved = Saved(sweep)
            let end = await read(run, sweep.kind, scope) { run in
                try await self.save(saved.update(run, nextAt: self.clocks.wallMilliseconds()))
            }
            sweep = saved.sweep
            switch end {
            case .finished(let run): try await finish(&sweep, run, begun)
            case .interrupted(let run, let interruption):
                // If the run has made progress since its last failure, this failure is counted as the first.
                let count = (run.failure == nil ? 0 : failures) + 1
                try await interrupt(&sweep, run, interruption, count)
                if let run = sweep.run, run.progress == nil, run.finishedAt == nil {
                    try await finish(&sweep, run, begun)
                }
            case .cancelled: break
            }
        } catch {
            guard !Task.isCancelled, !(error is CancellationError) else { return }
            metrics.failed(.state)
            log.log(.warning, key: "save", "failed to save a sweep's progress", [LogField(.error, "\(error)")])
        }
    }

    private func begin(_ sweep: inout Sweep) {
        let run = sweeps.run(of: sweep, at: clocks.wallMilliseconds())
        if sweeps.isLonger(run, of: sweep.kind) {
            logger.warning(
                "the usual range leaves a gap since the last complete sweep; reading a longer range",
                fields(sweep) + [LogField(.milliseconds, run.range.to - run.range.from)])
        }
        sweep.begin(run)
    }

    /// - Parameter begun: the time at which the run began, in monotonic milliseconds.
    private func finish(_ sweep: inout Sweep, _ run: SweepRun, _ begun: Int64) async throws {
        let now = clocks.wallMilliseconds()
        sweep.finish(run, at: now, nextAt: sweeps.next(after: run, of: sweep.kind, at: now))
        try await save(sweep)
        report(run, sweep, milliseconds: clocks.monotonicMilliseconds() - begun)
        publish(run.counts, sweep)
    }

    private func cancel(_ sweep: inout Sweep, _ run: SweepRun) async throws {
        sweep.cancel(run, at: clocks.wallMilliseconds())
        try await save(sweep)
        logger.info("backfill cancelled", fields(sweep) + [LogField(.published, run.counts.published)])
    }

    private func read(
        _ run: SweepRun, _ kind: SweepKind, _ scope: APIScope, save: (SweepRun) async throws -> Void
    ) async -> SweepEnd {
        switch kind {
        case .statuses: await statuses.sweep(run, scope, save: save)
        case .failures, .everything, .backfill:
            await history.sweep(run, kind, windows: sweeps.window(of: kind), scope, save: save)
        }
    }

    private func interrupt(
        _ sweep: inout Sweep, _ run: SweepRun, _ interruption: SweepInterruption, _ count: Int64
    ) async throws {
        let now = clocks.wallMilliseconds()
        metrics.failed(interruption.cause)
        var run = run
        run.failure = SweepRun.Failure(at: now, message: interruption.message, count: count)
        let unread = run.counts.unread
        if interruption.isAboutWindow, count > 1, sweep.kind != .statuses {
            run.narrowWindow(windows: sweeps.window(of: sweep.kind))
        }
        guard run.counts.unread == unread else {
            sweep.update(run, nextAt: now)
            logger.error(
                "skipped a window of Apple's history that cannot be read; read it again with sluicectl backfill",
                fields(sweep) + [LogField(.error, interruption.message)] + Self.window(run))
            return try await save(sweep)
        }
        sweep.update(run, nextAt: interruption.nextAttempt(after: count, now: now))
        log.log(
            interruption.isPermanent ? .error : .warning, key: sweep.key, "sweep failed; retrying later",
            fields(sweep) + [LogField(.error, interruption.message)])
        try await save(sweep)
    }

    private static func window(_ run: SweepRun) -> [LogField] {
        guard let window = run.unread.last else { return [] }
        func text(_ milliseconds: Int64) -> String {
            AppStoreInstant(clampingMillisecondsSince1970: milliseconds).description
        }
        return [LogField(.from, text(window.from)), LogField(.to, text(window.to))]
    }

    private func save(_ sweep: Sweep) async throws {
        try Task.checkCancellation()
        let row = ReconciliationRow.sweep(sweep)
        _ = try await state.merge([row], from: topics.notifications(sweep.environment))
    }

    private func report(_ run: SweepRun, _ sweep: Sweep, milliseconds: Int64) {
        let counts = run.counts
        logger.log(
            counts.missing > 0 || counts.differing > 0 || counts.unread > 0 || counts.refused > 0 ? .warning : .info,
            "sweep complete",
            fields(sweep) + [
                LogField(.swept, counts.swept), LogField(.missing, counts.missing),
                LogField(.published, counts.published), LogField(.quarantined, counts.quarantined),
                LogField(.refused, counts.refused), LogField(.unknown, counts.unknown), LogField(.calls, counts.calls),
                LogField(.differing, counts.differing), LogField(.repaired, counts.repaired),
                LogField(.unread, counts.unread),
                LogField(.milliseconds, milliseconds),
            ])
    }

    /// Publishes an operator event about a sweep that found missing notifications.
    private func publish(_ counts: SweepRun.Counts, _ sweep: Sweep) {
        guard counts.missing > 0 else { return }
        events?.publish(
            .notificationsMissing, subject: sweep.bundleId.rawValue,
            data: [
                "environment": .text(sweep.environment.rawValue), "bundleId": .text(sweep.bundleId.rawValue),
                "sweep": .text(sweep.kind.text), "missing": .integer(counts.missing),
                "published": .integer(counts.published), "quarantined": .integer(counts.quarantined),
                "refused": .integer(counts.refused),
            ])
    }

    private func fields(_ sweep: Sweep) -> [LogField] {
        [
            LogField(.bundleId, sweep.bundleId.rawValue), LogField(.environment, sweep.environment.rawValue),
            LogField(.sweep, sweep.kind.text),
        ]
    }
}

extension Sweep {
    fileprivate func isOfSameApp(as other: Sweep) -> Bool {
        bundleId == other.bundleId && environment == other.environment
    }
}

/// The run's last saved row.
private final class Saved: Sendable {
    private let row: Mutex<Sweep>

    init(_ sweep: Sweep) { row = Mutex(sweep) }

    var sweep: Sweep { row.withLock { $0 } }

    func update(_ run: SweepRun, nextAt: Int64) -> Sweep {
        row.withLock { row in
            row.update(run, nextAt: nextAt)
            return row
        }
    }
}
