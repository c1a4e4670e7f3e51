internal import AppStoreModel
internal import AppStoreServerAPI
internal import EntitlementRules
internal import KeyedState
internal import Lifecycle
internal import PipelineRuntime
internal import Primitives
internal import Records
internal import Synchronization
internal import Telemetry

/// Queries Apple about version 1 statements on purchases in this member's partitions, and adds Apple's signed
/// statements to their rows. ``ConfirmationSchedule`` selects the purchases.
///
/// Confirmation does not block any partition, because the handler merges the statements immediately. Pending queries
/// are derived from the rows, so they resume after a restart or on another member. Repeating a query changes nothing.
final class LegacyConfirmations: Service {
    let name = "confirmation of version 1 notifications"

    private typealias Key = ConfirmationSchedule.Key

    private let state: KeyedState<EntitlementsModel>
    private let client: AppStoreServerClient
    private let topics: TopicNames
    private let clocks: Clocks
    private let metrics: ConfirmationMetrics
    private let log: RateLimitedLogger
    private let loop: DueLoop
    private let schedule: Mutex<ConfirmationSchedule>

    /// - Parameters:
    ///   - delay: minimum time between the receipt of a statement and the query to Apple.
    ///   - pause: waits between two planning rounds.
    init(
        state: KeyedState<EntitlementsModel>, client: AppStoreServerClient, topics: TopicNames, clocks: Clocks,
        metrics: ConfirmationMetrics, log: RateLimitedLogger, delay: Duration,
        pause: @escaping @Sendable () async throws -> Void
    ) {
        self.state = state
        self.client = client
        self.topics = topics
        self.clocks = clocks
        self.metrics = metrics
        self.log = log
        loop = DueLoop(pause: pause)
        schedule = Mutex(ConfirmationSchedule(delay: delay))
    }

    // MARK: Service

    func start() async throws {}

    func run() async throws {
        await withTaskExecutorPreference(HandlerThreads.shared) {
            await withDiscardingTaskGroup { group in
                await loop.run {
                    for (step, purchase) in look() {
                        group.addTask { await self.carryOut(step, purchase) }
                    }
                }
                group.cancelAll()
            }
        }
        // Either `stop` ended the loop, or the task was cancelled.
        try await rest()
    }

    /// Cancels queries in flight. The partition's next owner sends them again.
    func stop(within limit: Duration) async { loop.finish() }

    // MARK: Planning

    private func look() -> [(ConfirmationSchedule.Step, PurchaseFacts?)] {
        let now = clocks.wallMilliseconds()
        let (wanted, paused) = schedule.withLock { ($0.beginLook(), $0.pausedScopes(at: now)) }
        var rows: [Key: PurchaseFacts] = [:]
        var candidates: [ConfirmationSchedule.Candidate] = []
        do {
            for purchase in try duePurchases(upTo: now, atMost: wanted, paused: paused) {
                guard let due = purchase.legacyQuestion?.due.millisecondsSince1970 else { continue }
                let scope = APIScope(purchase.bundleId, in: purchase.environment)
                let key = EntitlementsModel.key(purchase.bundleId, purchase.originalTransactionId)
                candidates.append(ConfirmationSchedule.Candidate(key: key, scope: scope, due: due))
                rows[Key(scope: scope, key: key)] = purchase
            }
        } catch {
            log.log(
                .warning, key: "unconfirmed", "failed to read unconfirmed purchases; retrying",
                [LogField(.error, "\(error)")])
            return []
        }
        candidates.sort { $0.due < $1.due }
        let (steps, oldest, isPaused) = schedule.withLock { schedule in
            (schedule.plan(candidates, at: now), schedule.oldest, schedule.isPaused)
        }
        metrics.waiting(since: oldest, isPaused: isPaused)
        return steps.map { step in
            guard case .ask(let key, _) = step else { return (step, nil) }
            return (step, rows[key])
        }
    }

    /// Returns due purchases. Apps that cannot be queried have at most one each, so that they do not crowd
    /// out the purchases of other apps.
    private func duePurchases(
        upTo now: Int64, atMost limit: Int, paused: [APIScope]
    ) throws -> [PurchaseFacts] {
        var found: [PurchaseFacts] = []
        for environment in AppStoreEnvironment.published {
            let topic = topics.entitlements(environment)
            let prefixes = paused.filter { $0.environment == environment }
                .map { EntitlementsModel.prefix($0.bundleId) }
            found += try state.dueRows(upTo: now, in: topic, keys: .notPrefixed(prefixes), atMost: limit)
            for prefix in prefixes {
                found += try state.dueRows(upTo: now, in: topic, keys: .prefixed(prefix), atMost: 1)
            }
        }
        return found
    }

    private func carryOut(_ step: ConfirmationSchedule.Step, _ purchase: PurchaseFacts?) async {
        switch step {
        case .ask(let key, let attempts):
            guard let purchase else { return }
            let (result, health) = await confirm(purchase, key.scope, attempts: attempts)
            schedule.withLock { $0.asked(key, result, health, attempts: attempts, at: clocks.wallMilliseconds()) }
            // Fill free slots immediately. A failed query waits for the next tick.
            if result != .retry { loop.wake() }
        case .probe(let scope):
            let failure = await client.probe(scope)
            let health = failure.map { ServiceHealth($0) } ?? .answers
            schedule.withLock { $0.probed(scope, health, at: clocks.wallMilliseconds()) }
        }
    }

    // MARK: One purchase

    private func confirm(
        _ purchase: PurchaseFacts, _ scope: APIScope, attempts: Int
    ) async -> (ConfirmationSchedule.Result, ServiceHealth) {
        guard let question = purchase.legacyQuestion else { return (.done, .unknown) }
        do {
            let answer = try await AppleConfirmation(
                of: purchase, question, client, prioritized(scope, question.due))
            let isOpen = try await record(answer, purchase, question)
            note(answer, purchase)
            return (isOpen ? .unsettled : .done, .answers)
        } catch let failure as APIError {
            guard failure.kind != .cancelled else { return (.retry, .unknown) }
            failed(purchase, "\(failure)", attempts: attempts, fix: failure.fix)
            return (.retry, ServiceHealth(failure))
        } catch let unusable as AppleConfirmation.Unusable {
            failed(purchase, unusable.message, attempts: attempts)
            return (.retry, .answers)
        } catch {
            // Kafka did not acknowledge the contribution. Repeating the query is harmless.
            if !(error is CancellationError) { failed(purchase, "\(error)", attempts: attempts) }
            return (.retry, .unknown)
        }
    }

    /// Returns the scope with a priority that depends on the statement's age. Queries about recent statements are
    /// urgent, because customers are waiting for them. Queries about replayed statements run in the background, so that
    /// they do not delay urgent requests.
    private func prioritized(_ scope: APIScope, _ date: AppStoreInstant) -> APIScope {
        var scope = scope
        let age = clocks.wallMilliseconds() - date.millisecondsSince1970
        scope.priority = age > Self.replayAge ? .background : .urgent
        return scope
    }

    private static let replayAge: Int64 = 86_400_000

    /// Adds signed facts and the settled ids in one contribution, so that no answer is based on only one of them.
    ///
    /// - Returns: whether the query must be sent again.
    private func record(
        _ answer: AppleConfirmation, _ purchase: PurchaseFacts, _ question: LegacyQuestion
    ) async throws -> Bool {
        var said = PurchaseFacts(
            environment: purchase.environment, bundleId: purchase.bundleId,
            originalTransactionId: purchase.originalTransactionId)
        for facts in answer.facts { said.merge(facts) }
        if answer.isAnswered { said.settleLegacy(question.ids) }
        var merged = purchase
        merged.merge(said)
        let now = clocks.wallMilliseconds()
        let isOpen = merged.legacyQuestion.map { $0.due.millisecondsSince1970 <= now } ?? false
        let oldIds = merged.unsettledLegacyIds.filter {
            now - $0.signedDate.millisecondsSince1970 > Self.longestAsked
        }
        if isOpen, !oldIds.isEmpty {
            said.setLegacyAside(oldIds)
            metrics.asked(.setAside)
            log.log(
                .error, key: "set aside",
                "version 1 statement has been unknown to Apple for seven days; ignoring it",
                fields(purchase) + [LogField(.originalTransactionId, purchase.originalTransactionId.rawValue)])
        }
        guard answer.isAnswered || !answer.facts.isEmpty || !oldIds.isEmpty else { return isOpen }
        let contribution = said
        _ = try await state.contribute(
            to: EntitlementsModel.key(purchase.bundleId, purchase.originalTransactionId),
            from: topics.input(purchase.environment)
        ) { _ in contribution }
        return isOpen
    }

    /// How long, in milliseconds, to retry queries about a transaction that is unknown to Apple.
    private static let longestAsked: Int64 = 7 * 86_400_000

    private func note(_ answer: AppleConfirmation, _ purchase: PurchaseFacts) {
        metrics.asked(answer.hasUnknown ? .unknown : .confirmed)
        guard answer.hasUnknown else { return }
        log.log(
            .warning, key: "unknown",
            "a transaction in a version 1 notification is unknown to Apple, so it is new or forged; retrying the query",
            fields(purchase) + [LogField(.originalTransactionId, purchase.originalTransactionId.rawValue)])
    }

    private func failed(_ purchase: PurchaseFacts, _ message: String, attempts: Int, fix: String? = nil) {
        metrics.asked(.failed)
        log.log(
            .warning, key: "unconfirmed", "failed to confirm a version 1 notification; retrying",
            fields(purchase) + [LogField(.error, message), LogField(.attempts, attempts)]
                + (fix.map { [LogField(.fix, $0)] } ?? []))
    }

    private func fields(_ purchase: PurchaseFacts) -> [LogField] {
        [LogField(.bundleId, purchase.bundleId.rawValue), LogField(.environment, purchase.environment.rawValue)]
    }
}
