internal import AppStoreModel
internal import AppStoreServerAPI
internal import Kafka
internal import KeyedState
internal import Lifecycle
internal import PipelineRuntime
internal import Records
internal import RefundCases
internal import Synchronization
internal import Telemetry
internal import Time

/// Answers what waits in the partitions of this member, as ``RefundSchedule`` says.
///
/// It holds up no partition: the handler records requests, and what is due is asked of the state. As many answers are sent
/// at a time as `refunds.concurrency` says, because a crash repeats what was sent and not yet recorded.
final class RefundScheduler: Service {
    let name = "refund scheduler"

    private struct Present {
        var schedule: RefundSchedule
        var jobs: [RefundSchedule.CaseKey: Task<Void, Never>] = [:]
        /// Partitions that are being given back, and the stop: nothing begins.
        var holds = 0
        /// A partition was given back since the rows were read that are looked at.
        var isOutdated = false
    }

    /// A round that waits, and its winning proposal.
    private struct Row {
        let refund: RefundCase
        let round: RefundRound
        let winner: [UInt8]?
    }

    /// Rows that are looked at apart from the others, so that no app or environment hides another.
    private struct Group {
        let environment: AppStoreEnvironment
        let keys: StateKeys
        let isOfGroup: @Sendable (APIScope) -> Bool
    }

    private let state: KeyedState<RefundsModel>
    private let model: RefundsModel
    private let topics: TopicNames
    private let groups: [Group]
    private let work: RefundWork
    private let clocks: Clocks
    private let metrics: RefundsMetrics
    private let log: RateLimitedLogger
    private let loop: DueLoop
    private let present: Mutex<Present>

    /// - Parameters:
    ///   - apps: each has rows of its own, the others have them together.
    ///   - pause: between two looks at what is due when nothing else happens.
    init(
        state: KeyedState<RefundsModel>, model: RefundsModel, topics: TopicNames, apps: [BundleId], work: RefundWork,
        schedule: RefundSchedule, clocks: Clocks, metrics: RefundsMetrics, log: RateLimitedLogger,
        pause: @escaping @Sendable () async throws -> Void
    ) {
        self.state = state
        self.model = model
        self.topics = topics
        groups = AppStoreEnvironment.published.flatMap { Self.groups(of: apps, in: $0) }
        self.work = work
        self.clocks = clocks
        self.metrics = metrics
        self.log = log
        loop = DueLoop(pause: pause)
        present = Mutex(Present(schedule: schedule))
    }

    private static func groups(of apps: [BundleId], in environment: AppStoreEnvironment) -> [Group] {
        let known = Set(apps)
        let others = Group(
            environment: environment, keys: .notPrefixed(apps.map(RefundsModel.prefix)),
            isOfGroup: { $0.environment == environment && !known.contains($0.bundleId) })
        return apps.map { app in
            Group(
                environment: environment, keys: .prefixed(RefundsModel.prefix(app)),
                isOfGroup: { $0.environment == environment && $0.bundleId == app })
        } + [others]
    }

    /// Something may be due.
    func wake() { loop.wake() }

    // MARK: Service

    func start() async throws {}

    func run() async throws {
        await withTaskExecutorPreference(HandlerThreads.shared) { await loop.run { look() } }
        // The stop has finished the loop, or the task is cancelled.
        try await DueLoop.rest()
    }

    /// What is under way ends, or is repeated with the same bytes by whoever has the case next.
    func stop(within limit: Duration) async {
        present.withLock { $0.holds += 1 }
        loop.finish()
        await settle(within: limit)
    }

    /// A partition is given back: nothing of it may be under way afterwards.
    func release() async {
        present.withLock {
            $0.holds += 1
            $0.isOutdated = true
        }
        await settle(within: .seconds(5))
        present.withLock { $0.holds -= 1 }
    }

    /// Waits for what runs, and cancels what is left then.
    private func settle(within limit: Duration) async {
        let jobs = present.withLock { Array($0.jobs.values) }
        guard !jobs.isEmpty else { return }
        await withTaskGroup { group in
            group.addTask { for job in jobs { await job.value } }
            group.addTask {
                // Cancelled when all have ended.
                if (try? await Task.sleep(for: limit)) != nil { for job in jobs { job.cancel() } }
            }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: What is due

    private func look() {
        let wanted = present.withLock { present in
            present.isOutdated = false
            present.schedule.beginLook()
            return groups.map { present.schedule.rowsWanted($0.isOfGroup) }
        }
        var candidates: [RefundSchedule.Candidate] = []
        var rows: [RefundSchedule.CaseKey: Row] = [:]
        do {
            for (group, count) in zip(groups, wanted) {
                let topic = topics.refunds(group.environment)
                for refund in try state.dueRows(upTo: .max, in: topic, keys: group.keys, atMost: count) {
                    guard let row = try row(refund) else { continue }
                    let candidate = candidate(row)
                    candidates.append(candidate)
                    rows[candidate.key] = row
                }
            }
        } catch {
            log.log(.warning, key: "due", "what is due cannot be read", [LogField(.error, "\(error)")])
            return
        }
        let now = clocks.wallMilliseconds()
        let read = rows
        present.withLock { present in
            guard present.holds == 0, !present.isOutdated else { return }
            for step in present.schedule.plan(candidates, at: now) { begin(step, read, &present) }
            metrics.waiting(
                deadlines: Dictionary(
                    candidates.map { ($0.key.environment, $0.deadline) }, uniquingKeysWith: min),
                obstacles: Self.obstacles(read), paused: present.schedule.pausedEnvironments)
        }
    }

    private func row(_ refund: RefundCase) throws -> Row? {
        guard let round = RefundRounds(refund, gap: model.gap).waiting else { return nil }
        let key = RefundsModel.key(refund.bundleId, refund.transactionId)
        let proposal = try state.proposal(of: key, in: topics.notifications(refund.environment))?.value
        // One of an earlier round says nothing about this one.
        let isOfRound = proposal.map { model.round(of: $0, in: refund) == round.openedAt.millisecondsSince1970 }
        return Row(refund: refund, round: round, winner: isOfRound == true ? proposal : nil)
    }

    private func candidate(_ row: Row) -> RefundSchedule.Candidate {
        RefundSchedule.Candidate(
            key: RefundSchedule.CaseKey(
                environment: row.refund.environment,
                key: RefundsModel.key(row.refund.bundleId, row.refund.transactionId)),
            scope: row.refund.scope, deadline: (row.round.deadline ?? row.round.openedAt).millisecondsSince1970,
            until: row.round.isTooLate ? 0 : row.round.answerableUntil?.millisecondsSince1970 ?? 0,
            isFrozen: row.winner != nil)
    }

    /// How many rounds wait for a reason, by environment.
    private static func obstacles(
        _ rows: [RefundSchedule.CaseKey: Row]
    ) -> [RefundsMetrics.Undecided: Int] {
        var counts: [RefundsMetrics.Undecided: Int] = [:]
        for row in rows.values {
            guard let obstacle = row.refund.obstacle, obstacle.through >= row.round.openedAt else { continue }
            counts[.init(environment: row.refund.environment, reason: obstacle.reason), default: 0] += 1
        }
        return counts
    }

    private func begin(
        _ step: RefundSchedule.Step, _ rows: [RefundSchedule.CaseKey: Row], _ present: inout Present
    ) {
        switch step {
        case .decide(let key, let isOver, let attempts):
            guard let row = rows[key] else { return }
            present.jobs[key] = task { await self.decide(row, key, isOver: isOver, attempts: attempts) }
        case .send(let key, let attempts, let isLast):
            guard let row = rows[key], let winner = row.winner else { return }
            present.jobs[key] = task {
                await self.send(row, key, winner: winner, attempts: attempts, isLast: isLast)
            }
        }
    }

    /// Kept in `jobs` until it ends, and awaited when partitions are given back and at the stop.
    private func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: HandlerThreads.shared) { await body() }
    }

    private func decide(_ row: Row, _ key: RefundSchedule.CaseKey, isOver: Bool, attempts: Int) async {
        let (result, health) = await work.decide(row.refund, row.round, isOver: isOver)
        end(key) { $0.decided(key, result, health, attempts: attempts, at: $1) }
    }

    private func send(
        _ row: Row, _ key: RefundSchedule.CaseKey, winner: [UInt8], attempts: Int, isLast: Bool
    ) async {
        let (result, health) = await work.send(
            row.refund, row.round, winner: winner, attempts: attempts, isLast: isLast)
        end(key) { $0.sent(key, row.refund.scope, result, health, attempts: attempts, at: $1) }
    }

    private func end(_ key: RefundSchedule.CaseKey, _ record: (inout RefundSchedule, Int64) -> Void) {
        present.withLock { present in
            present.jobs[key] = nil
            record(&present.schedule, clocks.wallMilliseconds())
        }
        wake()
    }
}
