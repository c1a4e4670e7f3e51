internal import AppStoreModel
internal import AppStoreServerAPI
internal import Kafka
internal import KeyedState
internal import Lifecycle
internal import OperatorEvents
internal import PipelineRuntime
internal import Primitives
internal import Records
internal import RefundRules
internal import Synchronization
internal import Telemetry

/// Answers the waiting rounds in this member's partitions, in the order planned by ``RefundSchedule``.
///
/// No partition is delayed: the handler only records requests, and due rounds are read from the state.
/// `refunds.concurrency` limits the number of concurrent requests, because requests that were sent but not recorded are
/// sent again after a crash.
final class RefundScheduler: Service {
    let name = "refund scheduler"

    /// A waiting round and its winning proposal, if any.
    private struct Row {
        let refund: RefundCase
        let round: RefundRound
        let winner: [UInt8]?
    }

    /// A group of rows that is read separately, so that the rows of one app or environment do not crowd out those of
    /// another.
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
    private let due: DueWork<RefundSchedule.CaseKey>
    private let groupPause: GroupPause
    private let schedule: Mutex<RefundSchedule>
    private let events: OperatorEvents?
    private let near = Mutex(NearDeadlines())

    /// - Parameters:
    ///   - apps: the apps with separate groups of rows; all other apps share one group.
    ///   - groupPause: nothing is answered while the group is paused; deadlines still pass.
    ///   - events: publishes operator events about near deadlines.
    ///   - due: runs the jobs, which end when a partition is revoked.
    init(
        state: KeyedState<RefundsModel>, model: RefundsModel, topics: TopicNames, apps: [BundleId], work: RefundWork,
        schedule: RefundSchedule, clocks: Clocks, metrics: RefundsMetrics, log: RateLimitedLogger,
        groupPause: GroupPause, events: OperatorEvents?, due: DueWork<RefundSchedule.CaseKey>
    ) {
        self.state = state
        self.model = model
        self.topics = topics
        groups = AppStoreEnvironment.published.flatMap { Self.groups(of: apps, in: $0) }
        self.work = work
        self.clocks = clocks
        self.metrics = metrics
        self.log = log
        self.due = due
        self.groupPause = groupPause
        self.events = events
        self.schedule = Mutex(schedule)
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

    /// Checks for due work.
    func wake() { due.wake() }

    // MARK: Service

    func start() async throws {}

    func run() async throws {
        await due.run { self.look() }
        // Either `stop` ended the loop, or the task was cancelled.
        try await rest()
    }

    /// Stops the scheduler. Work in progress either finishes, or is retried with the same bytes by the case's next
    /// owner.
    func stop(within limit: Duration) async { await due.stop(.finished(within: limit)) }

    // MARK: Due work

    private func look() {
        let wanted = schedule.withLock { schedule in
            schedule.beginLook()
            return groups.map { schedule.rowsWanted($0.isOfGroup) }
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
            log.log(.warning, key: "due", "failed to read due refund requests", [LogField(.error, "\(error)")])
            return
        }
        let now = clocks.wallMilliseconds()
        for candidate in near.withLock({ $0.due(candidates, at: now) }) { report(candidate, rows, at: now) }
        due.begin {
            let (steps, paused) = schedule.withLock { schedule in
                (groupPause.isPaused ? [] : schedule.plan(candidates, at: now), schedule.pausedEnvironments)
            }
            metrics.waiting(
                deadlines: Dictionary(
                    candidates.map { ($0.key.environment, $0.deadline) }, uniquingKeysWith: min),
                obstacles: Self.obstacles(rows), paused: paused)
            return steps.compactMap { job(for: $0, rows) }
        }
    }

    /// Publishes an operator event about a round with little time left.
    private func report(
        _ candidate: RefundSchedule.Candidate, _ rows: [RefundSchedule.CaseKey: Row], at now: Int64
    ) {
        guard let row = rows[candidate.key] else { return }
        let obstacle = row.refund.obstacle.flatMap { $0.through >= row.round.openedAt ? $0.reason : nil }
        events?.publish(
            .refundDeadlineNear, subject: "\(row.refund.bundleId.rawValue)/\(row.refund.transactionId.rawValue)",
            data: [
                "environment": .text(row.refund.environment.rawValue), "bundleId": .text(row.refund.bundleId.rawValue),
                "transactionId": .text(row.refund.transactionId.rawValue),
                "deadline": .text(RFC3339.text(milliseconds: candidate.deadline)),
                "secondsLeft": .integer((candidate.deadline - now) / 1_000), "reason": obstacle.map { .text($0) },
            ])
    }

    private func row(_ refund: RefundCase) throws -> Row? {
        guard let round = RefundRounds(refund, gap: model.gap).waiting else { return nil }
        let key = RefundsModel.key(refund.bundleId, refund.transactionId)
        let proposal = try state.proposal(of: key, in: topics.notifications(refund.environment))?.value
        // A proposal for an earlier round is irrelevant here.
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

    /// Counts waiting rounds by reason and environment.
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

    private func job(
        for step: RefundSchedule.Step, _ rows: [RefundSchedule.CaseKey: Row]
    ) -> (key: RefundSchedule.CaseKey, job: @Sendable () async -> Void)? {
        switch step {
        case .decide(let key, let isOver, let attempts):
            guard let row = rows[key] else { return nil }
            return (key, { await self.decide(row, key, isOver: isOver, attempts: attempts) })
        case .send(let key, let attempts, let isLast):
            guard let row = rows[key], let winner = row.winner else { return nil }
            return (key, { await self.send(row, key, winner: winner, attempts: attempts, isLast: isLast) })
        }
    }

    private func decide(_ row: Row, _ key: RefundSchedule.CaseKey, isOver: Bool, attempts: Int) async {
        let (result, health) = await work.decide(row.refund, row.round, isOver: isOver)
        schedule.withLock { $0.decided(key, result, health, attempts: attempts, at: clocks.wallMilliseconds()) }
    }

    private func send(
        _ row: Row, _ key: RefundSchedule.CaseKey, winner: [UInt8], attempts: Int, isLast: Bool
    ) async {
        let (result, health) = await work.send(
            row.refund, row.round, winner: winner, attempts: attempts, isLast: isLast)
        schedule.withLock {
            $0.sent(key, row.refund.scope, result, health, attempts: attempts, at: clocks.wallMilliseconds())
        }
    }
}
