internal import AppStoreModel
internal import AppStoreServerAPI

/// Schedules the work on waiting rounds. A value type that uses no clock, tasks or Kafka. Times are in milliseconds
/// since 1970.
///
/// Many answers are decided concurrently, before they are due to be sent. Answers are sent by environment, production
/// first, then by deadline. A failed case is retried later and does not delay others. While the API keeps failing for
/// an app, sending is paused, except for last attempts and for the answer with the earliest deadline, which tests
/// whether the API has recovered. The test is safe, because the bytes of the answer are frozen. The pause ends only
/// after Apple accepts or permanently refuses an answer.
struct RefundSchedule {
    struct CaseKey: Hashable {
        let environment: AppStoreEnvironment
        let key: [UInt8]
    }

    /// A round that is waiting for its answer to be sent.
    struct Candidate {
        let key: CaseKey
        /// The app and environment, which determine the key, the budget and the pause.
        let scope: APIScope
        /// The time when the answer is due. Within an environment, answers are sent in order of their deadlines.
        let deadline: Int64
        /// The time after which no attempt is made.
        let until: Int64
        /// Whether a proposal for this round has won.
        let isFrozen: Bool
    }

    enum Step: Equatable {
        /// - Parameter isOver: whether the deadline has passed. If so, the step only records this.
        case decide(CaseKey, isOver: Bool, attempts: Int)
        /// - Parameters:
        ///   - attempts: the number of attempts by this process, including this one.
        ///   - isLast: whether the deadline is near.
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
        /// Whether a decision failed. A failed decision does not delay sending an answer that was frozen in the
        /// meantime, such as an operator's.
        let isDecision: Bool
        let triedAt: Int64
    }

    private static let decisionsAtOnce = 16
    /// The number of cases to examine for each app and environment, in addition to those in progress.
    private static let lookAhead = 64
    /// The time before the end of a round, in milliseconds, at which a last attempt is made regardless of backoff and
    /// pauses.
    static let margin: Int64 = 120_000

    private let concurrency: Int
    private let fallbackMargin: Int64
    private let retryDelay: @Sendable (_ attempts: Int) -> Int64
    private var deciding: [CaseKey: Work] = [:]
    private var sending: [CaseKey: Work] = [:]
    private var retries: [CaseKey: Retry] = [:]
    private var pauses: [APIScope: ServicePause] = [:]
    private var provider = ServicePause()
    /// Cases processed since the rows for the current plan were read. Their rows are outdated.
    private var ended: Set<CaseKey> = []

    /// - Parameters:
    ///   - concurrency: the maximum number of concurrent requests.
    ///   - fallbackMargin: the time before the end of a round at which the round is decided without the company's
    ///     service.
    ///   - retryDelay: returns the wait, in milliseconds, after a given number of failed attempts.
    init(
        concurrency: Int, fallbackMargin: Int64,
        retryDelay: @escaping @Sendable (_ attempts: Int) -> Int64 = { RetryDelay.milliseconds(attempts: $0) }
    ) {
        self.concurrency = max(1, concurrency)
        self.fallbackMargin = fallbackMargin
        self.retryDelay = retryDelay
    }

    /// Environments in which requests for at least one app are paused after failures.
    var pausedEnvironments: Set<AppStoreEnvironment> {
        Set(pauses.filter(\.value.isDown).map(\.key.environment))
    }

    /// Clears the processed cases. Called before rows are read.
    mutating func beginLook() { ended = [] }

    /// Returns the number of rows to read for the given apps. The number is large enough that rows that are in progress
    /// or waiting for a retry do not crowd out later rows.
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
        // Keep retries only for cases that are still due.
        let waiting = Set(candidates.map(\.key))
        retries = retries.filter { waiting.contains($0.key) }
        return steps
    }

    /// Returns whether one candidate precedes another. Probes of a failing API come last; otherwise, production
    /// precedes the sandbox, and then earlier deadlines precede later ones.
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

    /// Returns the time of the next attempt: the end of the backoff or, if sooner, the next of the two times before the
    /// end of the round at which an attempt is always made.
    private func dueAt(_ retry: Retry, _ candidate: Candidate) -> Int64 {
        [candidate.until - fallbackMargin, candidate.until - Self.margin]
            .filter { $0 > retry.triedAt }.reduce(retry.at, min)
    }

    private func mayDecide(_ candidate: Candidate, at now: Int64) -> Bool {
        guard deciding.count < Self.decisionsAtOnce else { return false }
        // While the company's service is down, a single decision tests whether it has recovered. A round near its end
        // is decided without the service.
        guard provider.isDown, now < candidate.until - fallbackMargin else { return true }
        return deciding.isEmpty && provider.isOver(at: now)
    }

    private func maySend(_ scope: APIScope, at now: Int64) -> Bool {
        guard let pause = pauses[scope] else { return true }
        guard pause.isOver(at: now) else { return false }
        return !pause.isDown || !sending.values.contains { $0.scope == scope }
    }

    // MARK: Results

    /// - Parameter health: the health of the company's service.
    mutating func decided(
        _ key: CaseKey, _ result: RefundWork.Result, _ health: ServiceHealth, attempts: Int, at now: Int64
    ) {
        record(key, deciding.removeValue(forKey: key), result, attempts: attempts + 1, isDecision: true, at: now)
        if provider.note(health, at: now) { retries = retries.filter { !$0.value.isDecision } }
    }

    /// - Parameter health: the health of the API for the app.
    mutating func sent(
        _ key: CaseKey, _ scope: APIScope, _ result: RefundWork.Result, _ health: ServiceHealth, attempts: Int,
        at now: Int64
    ) {
        record(key, sending.removeValue(forKey: key), result, attempts: attempts, isDecision: false, at: now)
        guard pauses[scope, default: ServicePause()].note(health, at: now) else { return }
        // Answers that failed while the API was down are sent immediately, in order of deadline.
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
                scope: work.scope, at: now + retryDelay(attempts), attempts: attempts,
                isDecision: isDecision, triedAt: work.begunAt)
        }
    }
}
