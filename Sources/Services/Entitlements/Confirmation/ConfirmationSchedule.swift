internal import AppStoreModel
internal import AppStoreServerAPI

/// Which purchases Apple is asked about next: a value without clock, tasks or Kafka. Moments are milliseconds since 1970.
///
/// Each purchase is asked about once at a time, however many notifications wait. One that fails is tried later and holds
/// up no other. When the API fails again and again for an app, nothing of that app is asked until a request that
/// concerns no purchase has gone through.
struct ConfirmationSchedule {
    /// A purchase of which version 1 notifications say something unconfirmed.
    struct Candidate {
        let key: [UInt8]
        /// App and environment; all with one priority.
        let scope: APIScope
        /// From when on Apple is to be asked: the receipt of the oldest fact that is not settled.
        let due: Int64
    }

    struct Key: Hashable {
        let scope: APIScope
        let key: [UInt8]
    }

    enum Step: Equatable {
        /// - Parameter attempts: which one of this process it is.
        case ask(Key, attempts: Int)
        /// Asks whether the API is back.
        case probe(APIScope)
    }

    enum Result: Sendable, Equatable {
        case done
        /// Nothing was recorded: the same is tried later.
        case retry
        /// Apple answered, and it settles less than was asked: asked again at distances that grow to a day.
        case unsettled
    }

    private struct Retry {
        var at: Int64
        var attempts: Int
    }

    /// Requests at once: the API's own budget is shared by all of them.
    static let concurrency = 32
    /// More than the API's budget (50 a second) lets through during the delay.
    private static let lookAhead = 512
    private static let lookAheadWhileDown = 1_000

    /// How long a fact is old at least when Apple is asked: the signed notification of the same event may be on its way.
    private let delay: Int64
    private var asking: Set<Key> = []
    private var probing: Set<APIScope> = []
    private var retries: [Key: Retry] = [:]
    private var pauses: [APIScope: ServicePause] = [:]
    /// Purchases whose work ended since the rows were read that are planned by.
    private var ended: Set<Key> = []

    init(delay: Duration) { self.delay = delay.components.seconds * 1_000 }

    /// From when on the first of those that wait was to be asked about; nil while none waits.
    private(set) var oldest: Int64?

    var isPaused: Bool { pauses.values.contains(where: \.isDown) }

    /// Rows are about to be read.
    ///
    /// - Returns: how many are wanted.
    mutating func beginLook() -> Int {
        ended = []
        return asking.count + retries.count + (isPaused ? Self.lookAheadWhileDown : Self.lookAhead)
    }

    /// - Parameter candidates: the oldest first.
    mutating func plan(_ candidates: [Candidate], at now: Int64) -> [Step] {
        var steps: [Step] = []
        var present: Set<Key> = []
        oldest = candidates.lazy.map(\.due).filter { $0 <= now }.min()
        for candidate in candidates {
            let key = Key(scope: candidate.scope, key: candidate.key)
            present.insert(key)
            let pause = pauses[key.scope] ?? ServicePause()
            guard asking.count < Self.concurrency, !asking.contains(key), !ended.contains(key),
                now - delay >= candidate.due, retries[key]?.at ?? 0 <= now, !pause.isDown, pause.isOver(at: now)
            else { continue }
            asking.insert(key)
            steps.append(.ask(key, attempts: (retries[key]?.attempts ?? 0) + 1))
        }
        for scope in Set(candidates.map(\.scope)) {
            guard let pause = pauses[scope], pause.isDown, pause.isOver(at: now), probing.insert(scope).inserted
            else { continue }
            steps.append(.probe(scope))
        }
        retries = retries.filter { present.contains($0.key) }
        return steps
    }

    // MARK: What came of it

    mutating func asked(_ key: Key, _ result: Result, _ health: ServiceHealth, attempts: Int, at now: Int64) {
        asking.remove(key)
        ended.insert(key)
        switch result {
        case .done: retries[key] = nil
        case .retry: retries[key] = Retry(at: now + RetryDelay.milliseconds(attempts: attempts), attempts: attempts)
        case .unsettled: retries[key] = Retry(at: now + Self.unsettledDelay(attempts: attempts), attempts: attempts)
        }
        _ = pauses[key.scope, default: ServicePause()].note(health, at: now)
    }

    /// 5 s after the first attempt, twice as long after each further one, at most a day. Milliseconds.
    static func unsettledDelay(attempts: Int) -> Int64 {
        min(86_400_000, 5_000 << Int64(min(max(0, attempts - 1), 20)))
    }

    mutating func probed(_ scope: APIScope, _ health: ServiceHealth, at now: Int64) {
        probing.remove(scope)
        guard pauses[scope, default: ServicePause()].note(health, at: now) else { return }
        // What failed while it was down goes at once.
        retries = retries.filter { $0.key.scope != scope }
    }
}
