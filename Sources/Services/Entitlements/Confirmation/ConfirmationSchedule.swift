internal import AppStoreModel
internal import AppStoreServerAPI

/// Selects the purchases to query Apple about. A pure value that uses no clock, tasks or Kafka. Times are in
/// milliseconds since 1970.
///
/// Each purchase has at most one query in flight, regardless of how many notifications are waiting. A failed query is
/// retried later and does not delay others. If the API keeps failing for an app, all queries for that app are paused
/// until a probe, which is not about any purchase, succeeds.
struct ConfirmationSchedule {
    /// A purchase with unconfirmed statements from version 1 notifications.
    struct Candidate {
        let key: [UInt8]
        /// The app and environment. All scopes have the same priority.
        let scope: APIScope
        /// The time at which the query became due: the time of receipt of the oldest unsettled fact.
        let due: Int64
    }

    struct Key: Hashable {
        let scope: APIScope
        let key: [UInt8]
    }

    enum Step: Equatable {
        /// - Parameter attempts: the number of attempts by this process, including this one.
        case ask(Key, attempts: Int)
        /// Checks whether the API responds again.
        case probe(APIScope)
    }

    enum Result: Sendable, Equatable {
        case done
        /// Nothing was recorded, and the query is retried.
        case retry
        /// Apple answered, but the answer does not settle every fact. The query is retried at intervals that grow up to
        /// a day.
        case unsettled
    }

    private struct Retry {
        var at: Int64
        var attempts: Int
    }

    /// Maximum number of concurrent queries; they share the API's request budget.
    static let concurrency = 32
    /// Number of rows to read in addition to those being queried or waiting for a retry. Exceeds the number of queries
    /// that the API's budget (50 per second) allows between two reads.
    private static let lookAhead = 512

    /// Minimum age of a fact before Apple is queried about it. A younger fact may still be settled by the signed
    /// notification of the same event.
    private let delay: Int64
    private var asking: Set<Key> = []
    private var probing: Set<APIScope> = []
    private var retries: [Key: Retry] = [:]
    private var pauses: [APIScope: ServicePause] = [:]
    /// Purchases whose query ended after the current rows were read.
    private var ended: Set<Key> = []
    /// The apps with only one of their rows in the current planning round.
    private var partlyRead: Set<APIScope> = []

    init(delay: Duration) { self.delay = delay.components.seconds * 1_000 }

    /// The time at which the oldest waiting query became due, or nil if none is waiting.
    private(set) var oldest: Int64?

    var isPaused: Bool { pauses.values.contains(where: \.isDown) }

    /// Begins a planning round, before rows are read.
    ///
    /// - Returns: the number of rows to read for the apps that are not paused.
    mutating func beginLook() -> Int {
        ended = []
        return asking.count + retries.count + Self.lookAhead
    }

    /// The apps that cannot be queried at a time. One row of each is enough to plan a probe, and more could crowd out
    /// the rows of other apps.
    mutating func pausedScopes(at now: Int64) -> [APIScope] {
        let paused = pauses.compactMap { $0.value.isDown || !$0.value.isOver(at: now) ? $0.key : nil }
        partlyRead = Set(paused)
        return paused
    }

    /// - Parameter candidates: the candidates, oldest first.
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
        // A row that was not read may still wait for its retry.
        retries = retries.filter { present.contains($0.key) || partlyRead.contains($0.key.scope) }
        return steps
    }

    // MARK: Outcomes

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

    /// Returns the delay before the next attempt in milliseconds: 5 s after the first attempt, doubled after each
    /// subsequent attempt, up to a day.
    static func unsettledDelay(attempts: Int) -> Int64 {
        min(86_400_000, 5_000 << Int64(min(max(0, attempts - 1), 20)))
    }

    mutating func probed(_ scope: APIScope, _ health: ServiceHealth, at now: Int64) {
        probing.remove(scope)
        guard pauses[scope, default: ServicePause()].note(health, at: now) else { return }
        // Queries that failed during the outage are retried immediately.
        retries = retries.filter { $0.key.scope != scope }
    }
}
