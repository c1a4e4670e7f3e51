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

    /// What runs.
    private enum Job: Hashable {
        case work(RefundSchedule.CaseKey)
        case probe(APIScope)
    }

    private struct Present {
        var schedule: RefundSchedule
        var jobs: [Job: Task<Void, Never>] = [:]
        /// Partitions that are being given back, and the stop: nothing begins.
        var holds = 0
        /// A partition was given back since the rows were read that are looked at.
        var isOutdated = false
    }

    /// A case that waits, and the answer that stands for it.
    private struct Row {
        let refund: RefundCase
        let standing: [UInt8]?
    }

    private let state: KeyedState<RefundsModel>
    private let topics: TopicNames
    private let work: RefundWork
    private let clocks: Clocks
    private let metrics: RefundsMetrics
    private let log: RateLimitedLogger
    private let loop: DueLoop
    private let present: Mutex<Present>

    /// - Parameter pause: between two looks at what is due when nothing else happens.
    init(
        state: KeyedState<RefundsModel>, topics: TopicNames, work: RefundWork, schedule: RefundSchedule,
        clocks: Clocks, metrics: RefundsMetrics, log: RateLimitedLogger,
        pause: @escaping @Sendable () async throws -> Void
    ) {
        self.state = state
        self.topics = topics
        self.work = work
        self.clocks = clocks
        self.metrics = metrics
        self.log = log
        loop = DueLoop(pause: pause)
        present = Mutex(Present(schedule: schedule))
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
            return present.schedule.beginLook()
        }
        var candidates: [RefundSchedule.Candidate] = []
        var rows: [RefundSchedule.CaseKey: Row] = [:]
        do {
            for refund in try state.dueRows(upTo: .max, atMost: wanted) {
                guard let deadline = refund.deadline?.millisecondsSince1970 else { continue }
                let key = RefundSchedule.CaseKey(
                    environment: refund.environment, key: RefundsModel.key(refund.bundleId, refund.transactionId))
                let standing = try state.proposal(of: key.key, in: topics.notifications(refund.environment))
                candidates.append(
                    RefundSchedule.Candidate(
                        key: key, scope: refund.scope, deadline: deadline, isFrozen: standing != nil))
                rows[key] = Row(refund: refund, standing: standing?.value)
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
            metrics.waiting(nextDeadline: candidates.first?.deadline, isPaused: present.schedule.isPaused)
        }
    }

    private func begin(
        _ step: RefundSchedule.Step, _ rows: [RefundSchedule.CaseKey: Row], _ present: inout Present
    ) {
        switch step {
        case .decide(let key, let isOver, let attempts):
            guard let row = rows[key] else { return }
            present.jobs[.work(key)] = task { await self.decide(row.refund, key, isOver: isOver, attempts: attempts) }
        case .send(let key, let attempts, let isLast):
            guard let row = rows[key], let standing = row.standing else { return }
            present.jobs[.work(key)] = task {
                await self.send(row.refund, key, standing: standing, attempts: attempts, isLast: isLast)
            }
        case .probe(let scope): present.jobs[.probe(scope)] = task { await self.probe(scope) }
        }
    }

    /// Kept in `jobs` until it ends, and awaited when partitions are given back and at the stop.
    private func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: HandlerThreads.shared) { await body() }
    }

    private func decide(_ refund: RefundCase, _ key: RefundSchedule.CaseKey, isOver: Bool, attempts: Int) async {
        let (result, health) = await work.decide(refund, isOver: isOver)
        end(.work(key)) { $0.decided(key, result, health, attempts: attempts, at: $1) }
    }

    private func send(
        _ refund: RefundCase, _ key: RefundSchedule.CaseKey, standing: [UInt8], attempts: Int, isLast: Bool
    ) async {
        let (result, health) = await work.send(refund, standing: standing, attempts: attempts, isLast: isLast)
        end(.work(key)) { $0.sent(key, refund.scope, result, health, attempts: attempts, at: $1) }
    }

    private func probe(_ scope: APIScope) async {
        let health = await work.probe(scope)
        end(.probe(scope)) { $0.probed(scope, health, at: $1) }
    }

    private func end(_ job: Job, _ note: (inout RefundSchedule, Int64) -> Void) {
        present.withLock { present in
            present.jobs[job] = nil
            note(&present.schedule, clocks.wallMilliseconds())
        }
        wake()
    }
}
