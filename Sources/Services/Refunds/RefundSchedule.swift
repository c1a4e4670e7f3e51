internal import AppStoreModel
internal import AppStoreServerAPI

/// Decides what is done next about the rounds that wait: a value without clock, tasks or Kafka. Moments are milliseconds
/// since 1970.
///
/// Answers are decided many at a time, ahead of those that are sent. They are sent production first, then by deadline. A
/// case that fails is tried later and holds up no other. When the API fails again and again for an app, the earliest due
/// case finds out whether it is back: its bytes are frozen, so nothing is lost by sending them. Only an answer that Apple
/// accepts or refuses for good ends the pause.
struct RefundSchedule {
    struct CaseKey: Hashable {
        let environment: AppStoreEnvironment
        let key: [UInt8]
    }

    /// A round that waits.
    struct Candidate {
        let key: CaseKey
        /// App and environment: they share a key, a budget and a pause.
        let scope: APIScope
        /// Answers are sent in this order.
        let deadline: Int64
        /// An answer is tried until then.
        let until: Int64
        /// A proposal of this round has won.
        let isFrozen: Bool
    }

    enum Step: Equatable {
        /// - Parameter isOver: its time is; only that is recorded.
        case decide(CaseKey, isOver: Bool, attempts: Int)
        /// - Parameters:
        ///   - attempts: counts the attempts of this process, this one included.
        ///   - isLast: its time is nearly over.
        case send(CaseKey, attempts: Int, isLast: Bool)
    }

    private struct Work {
        let scope: APIScope
        let begunAt: Int64
    }

    private struct Retry {
        let scope: APIScope
        let at: Int64
        let attempts: Int
        /// Of deciding; it does not delay the sending of what was frozen meanwhile, such as an operator's answer.
        let isDecision: Bool
        let triedAt: Int64
    }

    private static let decisionsAtOnce = 16
    /// Cases of an app and environment that are looked at beyond those under way.
    private static let lookAhead = 64
    /// A last attempt is made so long before the end, in milliseconds, whatever a back-off or a pause says.
    static let margin: Int64 = 120_000

    private let concurrency: Int
    private let fallbackMargin: Int64
    private var deciding: [CaseKey: Work] = [:]
    private var sending: [CaseKey: Work] = [:]
    private var retries: [CaseKey: Retry] = [:]
    private var pauses: [APIScope: ServicePause] = [:]
    private var provider = ServicePause()
    /// Cases whose work ended since the rows were read that are planned by: what these rows say is outdated.
    private var ended: Set<CaseKey> = []

    /// - Parameters:
    ///   - concurrency: requests that are sent at once.
    ///   - fallbackMargin: so long before its end a round is decided without the company's service, if it is silent.
    init(concurrency: Int, fallbackMargin: Int64) {
        self.concurrency = max(1, concurrency)
        self.fallbackMargin = fallbackMargin
    }

    /// Environments of which some app's requests wait after failures.
    var pausedEnvironments: Set<AppStoreEnvironment> {
        Set(pauses.filter(\.value.isDown).map(\.key.environment))
    }

    /// Rows are about to be read.
    mutating func beginLook() { ended = [] }

    /// How many rows of some apps are wanted, so that those under way and those that wait for another attempt do not hide
    /// the ones behind them.
    func rowsWanted(_ isOfGroup: (APIScope) -> Bool) -> Int {
        let busy =
            deciding.values.count { isOfGroup($0.scope) } + sending.values.count { isOfGroup($0.scope) }
            + retries.values.count { isOfGroup($0.scope) }
        return busy + concurrency + Self.lookAhead
    }

    mutating func plan(_ candidates: [Candidate], at now: Int64) -> [Step] {
        var steps: [Step] = []
        for candidate in candidates.sorted(by: { goesBefore($0, $1, at: now) }) {
            if let step = step(candidate, at: now) { steps.append(step) }
        }
        // Only what is still due has something to wait for.
        let waiting = Set(candidates.map(\.key))
        retries = retries.filter { waiting.contains($0.key) }
        return steps
    }

    /// A request that only finds out whether an API is back waits for those that can be answered; then production goes
    /// before the sandbox, and the earlier deadline before the later one.
    private func goesBefore(_ one: Candidate, _ other: Candidate, at now: Int64) -> Bool {
        let (isProbe, isOtherProbe) = (self.isProbe(one, at: now), self.isProbe(other, at: now))
        if isProbe != isOtherProbe { return isOtherProbe }
        let (first, second) = (one.scope.environment == .production, other.scope.environment == .production)
        return first == second ? one.deadline < other.deadline : first
    }

    private func isProbe(_ candidate: Candidate, at now: Int64) -> Bool {
        pauses[candidate.scope]?.isDown ?? false && now < candidate.until - Self.margin
    }

    private mutating func step(_ candidate: Candidate, at now: Int64) -> Step? {
        let key = candidate.key
        guard !ended.contains(key), deciding[key] == nil, sending[key] == nil else { return nil }
        let isOver = now >= candidate.until
        let retry = retries[key].flatMap { candidate.isFrozen && $0.isDecision ? nil : $0 }
        guard isOver || retry.map({ dueAt($0, candidate) <= now }) ?? true else { return nil }
        let attempts = retry?.attempts ?? 0
        let work = Work(scope: candidate.scope, begunAt: now)
        guard candidate.isFrozen, !isOver else {
            guard isOver || mayDecide(candidate, at: now) else { return nil }
            deciding[key] = work
            return .decide(key, isOver: isOver, attempts: attempts)
        }
        let isLast = now >= candidate.until - Self.margin
        guard sending.count < concurrency, isLast || maySend(candidate.scope, at: now) else { return nil }
        sending[key] = work
        return .send(key, attempts: attempts + 1, isLast: isLast)
    }

    /// The end of the back-off, or one of the two moments before the end at which an attempt is made in any case.
    private func dueAt(_ retry: Retry, _ candidate: Candidate) -> Int64 {
        [candidate.until - fallbackMargin, candidate.until - Self.margin]
            .filter { $0 > retry.triedAt }.reduce(retry.at, min)
    }

    private func mayDecide(_ candidate: Candidate, at now: Int64) -> Bool {
        guard deciding.count < Self.decisionsAtOnce else { return false }
        // One at a time finds out whether the company's service is back; what has no time left is decided without it.
        guard provider.isDown, now < candidate.until - fallbackMargin else { return true }
        return deciding.isEmpty && provider.isOver(at: now)
    }

    private func maySend(_ scope: APIScope, at now: Int64) -> Bool {
        guard let pause = pauses[scope] else { return true }
        guard pause.isOver(at: now) else { return false }
        return !pause.isDown || !sending.values.contains { $0.scope == scope }
    }

    // MARK: Results

    /// - Parameter health: of the company's service.
    mutating func decided(
        _ key: CaseKey, _ result: RefundWork.Result, _ health: ServiceHealth, attempts: Int, at now: Int64
    ) {
        record(key, deciding.removeValue(forKey: key), result, attempts: attempts + 1, isDecision: true, at: now)
        if provider.note(health, at: now) { retries = retries.filter { !$0.value.isDecision } }
    }

    /// - Parameter health: of the API for the app.
    mutating func sent(
        _ key: CaseKey, _ scope: APIScope, _ result: RefundWork.Result, _ health: ServiceHealth, attempts: Int,
        at now: Int64
    ) {
        record(key, sending.removeValue(forKey: key), result, attempts: attempts, isDecision: false, at: now)
        guard pauses[scope, default: ServicePause()].note(health, at: now) else { return }
        // Answers that failed while the API was down go at once, in the order of deadlines.
        retries = retries.filter { $0.value.isDecision || $0.value.scope != scope }
    }

    private mutating func record(
        _ key: CaseKey, _ work: Work?, _ result: RefundWork.Result, attempts: Int, isDecision: Bool, at now: Int64
    ) {
        ended.insert(key)
        switch result {
        case .done: retries[key] = nil
        case .retry:
            guard let work else { return }
            retries[key] = Retry(
                scope: work.scope, at: now + RetryDelay.milliseconds(attempts: attempts), attempts: attempts,
                isDecision: isDecision, triedAt: work.begunAt)
        }
    }
}
