internal import AppStoreModel
internal import Kafka
internal import KeyedState
internal import Lifecycle
internal import PipelineRuntime
internal import Records
internal import RefundCases
internal import Synchronization
internal import Telemetry
internal import Time

/// Answers what waits in the partitions of this member, in the order of deadlines.
///
/// It holds up no partition: the handler records requests, and what is due is asked of the state. An answer is first
/// decided and frozen, many at a time; then sent, as many at a time as `refunds.concurrency` says, because a crash
/// repeats what was sent and not yet recorded.
final class RefundScheduler: Service {
    let name = "refund scheduler"

    private struct CaseKey: Hashable {
        let environment: AppStoreEnvironment
        let key: [UInt8]
    }

    private struct Retry {
        var at: Int64
        var attempts: Int
        /// Of deciding; it does not delay the sending of what was frozen meanwhile, such as an operator's answer.
        var isDecision: Bool
    }

    private struct Present {
        var deciding: [CaseKey: Task<Void, Never>] = [:]
        var sending: [CaseKey: Task<Void, Never>] = [:]
        var retries: [CaseKey: Retry] = [:]
        var pauses: [AppStoreEnvironment: APIPause] = [:]
        /// Partitions that are being given back, and the stop: nothing begins.
        var holds = 0
        /// Cases whose work ended, and whether a partition was given back, since the rows were read that are looked at:
        /// what these rows say of them is over.
        var ended: Set<CaseKey> = []
        var isOutdated = false
    }

    private static let decisionsAtOnce = 16
    /// Cases that are decided ahead of those that are sent, so that what is sent next is frozen already and goes in the
    /// order of deadlines.
    private static let lookAhead = 64
    private static let lookAheadWhileDown = 1_000
    private static let maximumRetries = 10_000

    private let state: KeyedState<RefundsModel>
    private let topics: TopicNames
    private let work: RefundWork
    private let concurrency: Int
    private let clocks: Clocks
    private let metrics: RefundsMetrics
    private let log: RateLimitedLogger
    private let pause: @Sendable () async throws -> Void
    private let present = Mutex(Present())
    private let wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - concurrency: requests to the App Store Server API at once.
    ///   - pause: between two looks at what is due when nothing else happens.
    init(
        state: KeyedState<RefundsModel>, topics: TopicNames, work: RefundWork, concurrency: Int, clocks: Clocks,
        metrics: RefundsMetrics, log: RateLimitedLogger,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }
    ) {
        self.state = state
        self.topics = topics
        self.work = work
        self.concurrency = max(1, concurrency)
        self.clocks = clocks
        self.metrics = metrics
        self.log = log
        self.pause = pause
    }

    /// Something may be due.
    func wake() { wakes.continuation.yield() }

    // MARK: Service

    func start() async throws {}

    func run() async throws {
        await withTaskExecutorPreference(HandlerThreads.shared) {
            await withTaskGroup { group in
                group.addTask {
                    repeat { self.wake() } while (try? await self.pause()) != nil
                }
                for await _ in wakes.stream { look() }
                group.cancelAll()
            }
        }
        // Returning would end the process; the stop has finished the stream, or the task is cancelled.
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    /// What is under way ends, or is repeated with the same bytes by whoever has the case next.
    func stop(within limit: Duration) async {
        present.withLock { $0.holds += 1 }
        wakes.continuation.finish()
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

    private func settle(within limit: Duration) async {
        let tasks = present.withLock { Array($0.deciding.values) + Array($0.sending.values) }
        guard !tasks.isEmpty else { return }
        let timer = Task {
            try await Task.sleep(for: limit)
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
        timer.cancel()
    }

    // MARK: What is due

    private func look() {
        let limit = present.withLock { present in
            present.ended = []
            present.isOutdated = false
            let busy = present.deciding.count + present.sending.count + present.retries.count
            let isDown = present.pauses.values.contains(where: \.isDown)
            return busy + concurrency + (isDown ? Self.lookAheadWhileDown : Self.lookAhead)
        }
        let rows: [RefundCase]
        do {
            rows = try state.dueRows(upTo: .max, atMost: limit)
        } catch {
            log.log(.warning, key: "due", "what is due cannot be read", [LogField(.error, "\(error)")])
            return
        }
        let candidates: [Candidate]
        do {
            candidates = try rows.compactMap(candidate)
        } catch {
            log.log(.warning, key: "proposal", "proposals cannot be read", [LogField(.error, "\(error)")])
            return
        }
        let now = clocks.wallMilliseconds()
        present.withLock { present in
            // In one step: a request that ends meanwhile would let a later one go before an earlier one.
            for candidate in candidates { begin(candidate, &present, at: now) }
            // Only what is still due has something to wait for.
            let waiting = Set(candidates.map(\.key))
            present.retries = present.retries.filter { waiting.contains($0.key) }
            metrics.waiting(
                nextDeadline: candidates.first?.deadline, isPaused: present.pauses.values.contains(where: \.isDown))
        }
    }

    /// A case that waits, and the answer that stands for it.
    private struct Candidate {
        let refund: RefundCase
        let key: CaseKey
        let deadline: Int64
        let standing: KeyedState<RefundsModel>.StandingProposal?
    }

    private func candidate(_ refund: RefundCase) throws -> Candidate? {
        guard let deadline = refund.deadline?.millisecondsSince1970 else { return nil }
        let key = key(of: refund)
        return Candidate(
            refund: refund, key: key, deadline: deadline,
            standing: try state.proposal(of: key.key, in: topics.notifications(refund.environment)))
    }

    private func key(of refund: RefundCase) -> CaseKey {
        CaseKey(
            environment: refund.environment, key: RefundsModel.key(refund.bundleId, refund.transactionId))
    }

    private func begin(_ candidate: Candidate, _ present: inout Present, at now: Int64) {
        let (refund, key) = (candidate.refund, candidate.key)
        guard present.holds == 0, !present.isOutdated, !present.ended.contains(key), present.deciding[key] == nil,
            present.sending[key] == nil
        else { return }
        let isOver = now >= candidate.deadline
        let pause = present.pauses[refund.environment] ?? APIPause()
        // What was frozen meanwhile, such as an operator's answer, does not wait for the next decision.
        let retry = present.retries[key].flatMap { candidate.standing != nil && $0.isDecision ? nil : $0 }
        let isDelayed = retry.map { $0.at > now } ?? false
        // While the environment is down the first in line is tried, however lately it has failed.
        guard isOver || !isDelayed || (pause.isDown && candidate.standing != nil) else { return }
        let attempts = retry?.attempts ?? 0
        guard let standing = candidate.standing, !isOver else {
            guard isOver || present.deciding.count < Self.decisionsAtOnce else { return }
            present.deciding[key] = task { await self.decide(refund, key, isOver: isOver, attempts: attempts) }
            return
        }
        let limit = pause.isDown ? 1 : concurrency
        let isUnderWay = present.sending.keys.count { $0.environment == refund.environment }
        guard isUnderWay < limit, pause.isOver(at: now, deadline: candidate.deadline) else { return }
        present.sending[key] = task {
            await self.send(refund, key, standing: standing.value, attempts: attempts + 1)
        }
    }

    private func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: HandlerThreads.shared) { await body() }
    }

    // MARK: One case

    private func decide(_ refund: RefundCase, _ key: CaseKey, isOver: Bool, attempts: Int) async {
        let result = await work.decide(refund, isOver: isOver, attempts: attempts)
        finish(key) { present in
            present.deciding[key] = nil
            let retry = Retry(at: clocks.wallMilliseconds(), attempts: attempts + 1, isDecision: true)
            Self.note(result, of: key, &present, retry)
        }
    }

    private func send(_ refund: RefundCase, _ key: CaseKey, standing: [UInt8], attempts: Int) async {
        let (result, health) = await work.send(refund, standing: standing, attempts: attempts)
        finish(key) { present in
            present.sending[key] = nil
            let now = clocks.wallMilliseconds()
            Self.note(result, of: key, &present, Retry(at: now, attempts: attempts, isDecision: false))
            switch health {
            case .unknown: break
            case .answers:
                let wasDown = present.pauses[key.environment]?.isDown ?? false
                present.pauses[key.environment]?.succeeded()
                // What failed while it was down goes at once, in the order of deadlines.
                if wasDown { present.retries = present.retries.filter { $0.key.environment != key.environment } }
            case .fails(let retryAt):
                present.pauses[key.environment, default: APIPause()].failed(at: now, retryAt: retryAt)
            }
        }
    }

    private func finish(_ key: CaseKey, _ body: (inout Present) -> Void) {
        present.withLock { present in
            body(&present)
            present.ended.insert(key)
        }
        wake()
    }

    /// - Parameter retry: counted from the present.
    private static func note(
        _ result: RefundWork.Result, of key: CaseKey, _ present: inout Present, _ retry: Retry
    ) {
        switch result {
        case .done: present.retries[key] = nil
        case .retry:
            guard present.retries[key] != nil || present.retries.count < maximumRetries else { return }
            var later = retry
            later.at += RetryDelay.milliseconds(attempts: retry.attempts)
            present.retries[key] = later
        }
    }
}

/// Doubles from 1 s to 5 minutes, with jitter.
enum RetryDelay {
    static func milliseconds(attempts: Int) -> Int64 {
        let most = min(Int64(1_000) << Int64(min(max(attempts - 1, 0), 12)), 300_000)
        return Int64.random(in: most / 2...most)
    }
}
