internal import AppStoreModel
internal import AppStoreServerAPI

/// What is done next about the cases that wait: a value without clock, tasks or Kafka. Moments are milliseconds since 1970.
///
/// Answers are decided many at a time, ahead of those that are sent, and sent in the order of deadlines. A case that fails
/// is tried later and holds up no other. When the API fails again and again for an app, nothing of that app is sent until
/// a request that concerns no case has gone through; then everything that waits goes in order.
struct RefundSchedule {
    struct CaseKey: Hashable {
        let environment: AppStoreEnvironment
        let key: [UInt8]
    }

    /// A case that waits.
    struct Candidate {
        let key: CaseKey
        /// App and environment, for which there is a key of the API.
        let scope: APIScope
        let deadline: Int64
        /// An answer stands.
        let isFrozen: Bool
    }

    enum Step: Equatable {
        /// - Parameter isOver: its time is; only that is recorded.
        case decide(CaseKey, isOver: Bool, attempts: Int)
        /// - Parameters:
        ///   - attempts: which attempt of this process it is.
        ///   - isLast: its time is nearly over.
        case send(CaseKey, attempts: Int, isLast: Bool)
        /// Asks whether the API is back.
        case probe(APIScope)
    }

    private struct Retry {
        var at: Int64
        var attempts: Int
        /// Of deciding; it does not delay the sending of what was frozen meanwhile, such as an operator's answer.
        var isDecision: Bool
    }

    private static let decisionsAtOnce = 16
    /// Cases that are looked at beyond those under way.
    private static let lookAhead = 64
    private static let lookAheadWhileDown = 1_000
    /// A request is made so long before the deadline, in milliseconds, whatever else the API or Apple said.
    static let margin: Int64 = 120_000

    private let concurrency: Int
    private let fallbackMargin: Int64
    private var deciding: Set<CaseKey> = []
    private var sending: Set<CaseKey> = []
    private var probing: Set<APIScope> = []
    private var retries: [CaseKey: Retry] = [:]
    private var pauses: [APIScope: ServicePause] = [:]
    private var provider = ServicePause()
    /// Cases whose work ended since the rows were read that are planned by: what these say of them is over.
    private var ended: Set<CaseKey> = []
    /// Cases of apps whose API was down, when it was looked at last: they do not hide those behind them.
    private var blocked = 0

    /// - Parameters:
    ///   - concurrency: requests that are sent at once.
    ///   - fallbackMargin: so long before the deadline a case is decided, whether or not the company's service answers.
    init(concurrency: Int, fallbackMargin: Int64) {
        self.concurrency = max(1, concurrency)
        self.fallbackMargin = fallbackMargin
    }

    var isPaused: Bool { pauses.values.contains(where: \.isDown) }

    /// Rows are about to be read.
    ///
    /// - Returns: how many are wanted.
    mutating func beginLook() -> Int {
        ended = []
        let busy = deciding.count + sending.count + retries.count
        return busy + concurrency + (isPaused ? blocked + Self.lookAheadWhileDown : Self.lookAhead)
    }

    /// - Parameter candidates: by deadline.
    mutating func plan(_ candidates: [Candidate], at now: Int64) -> [Step] {
        var steps: [Step] = []
        for candidate in candidates { if let step = step(candidate, at: now) { steps.append(step) } }
        for scope in Set(candidates.map(\.scope)) {
            guard let pause = pauses[scope], pause.isDown, pause.isOver(at: now),
                probing.insert(scope).inserted
            else { continue }
            steps.append(.probe(scope))
        }
        blocked = candidates.count { pauses[$0.scope]?.isDown ?? false }
        // Only what is still due has something to wait for.
        let waiting = Set(candidates.map(\.key))
        retries = retries.filter { waiting.contains($0.key) }
        return steps
    }

    private mutating func step(_ candidate: Candidate, at now: Int64) -> Step? {
        let key = candidate.key
        guard !ended.contains(key), !deciding.contains(key), !sending.contains(key) else { return nil }
        let isOver = now >= candidate.deadline
        let retry = retries[key].flatMap { candidate.isFrozen && $0.isDecision ? nil : $0 }
        guard isOver || (retry?.at ?? 0) <= now else { return nil }
        let attempts = retry?.attempts ?? 0
        guard candidate.isFrozen, !isOver else {
            guard isOver || mayDecide(candidate, at: now) else { return nil }
            deciding.insert(key)
            return .decide(key, isOver: isOver, attempts: attempts)
        }
        let isLast = now >= candidate.deadline - Self.margin
        let pause = pauses[candidate.scope] ?? ServicePause()
        guard sending.count < concurrency, isLast || (!pause.isDown && pause.isOver(at: now)) else { return nil }
        sending.insert(key)
        return .send(key, attempts: attempts + 1, isLast: isLast)
    }

    private func mayDecide(_ candidate: Candidate, at now: Int64) -> Bool {
        guard deciding.count < Self.decisionsAtOnce else { return false }
        // One at a time finds out whether the company's service is back; what has no time left is decided without it.
        guard provider.isDown, now < candidate.deadline - fallbackMargin else { return true }
        return deciding.isEmpty && provider.isOver(at: now)
    }

    // MARK: What came of it

    /// - Parameter health: of the company's service.
    mutating func decided(
        _ key: CaseKey, _ result: RefundWork.Result, _ health: ServiceHealth, attempts: Int, at now: Int64
    ) {
        deciding.remove(key)
        note(key, result, attempts: attempts + 1, isDecision: true, at: now)
        if provider.note(health, at: now) { retries = retries.filter { !$0.value.isDecision } }
    }

    /// - Parameter health: of the API for the app.
    mutating func sent(
        _ key: CaseKey, _ scope: APIScope, _ result: RefundWork.Result, _ health: ServiceHealth, attempts: Int,
        at now: Int64
    ) {
        sending.remove(key)
        note(key, result, attempts: attempts, isDecision: false, at: now)
        _ = pauses[scope, default: ServicePause()].note(health, at: now)
    }

    mutating func probed(_ scope: APIScope, _ health: ServiceHealth, at now: Int64) {
        probing.remove(scope)
        guard pauses[scope, default: ServicePause()].note(health, at: now) else { return }
        // What failed while it was down goes at once, in the order of deadlines.
        retries = retries.filter { $0.value.isDecision }
    }

    private mutating func note(
        _ key: CaseKey, _ result: RefundWork.Result, attempts: Int, isDecision: Bool, at now: Int64
    ) {
        ended.insert(key)
        switch result {
        case .done: retries[key] = nil
        case .retry:
            retries[key] = Retry(
                at: now + RetryDelay.milliseconds(attempts: attempts), attempts: attempts, isDecision: isDecision)
        }
    }
}
