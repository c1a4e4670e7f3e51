internal import AppStoreModel
internal import HTTPServer

/// The mutable state of an API that is being served.
struct ServerAPIState: Sendable {
    struct RateKey: Hashable, Sendable {
        let environment: AppStoreEnvironment
        let operation: ServerAPIOperation
    }

    /// Maximum number of paths with numbered requests. If there are more, all numbers are reset.
    private static let maximumNumberedPaths = 500_000

    var environments: [AppStoreEnvironment: ServerAPIEnvironment]
    var faults: ServerAPIFaults
    var cases: SimulatedRefunds
    var rates: [RateKey: RequestRate] = [:]
    var tokenProblems: [BearerToken.Problem: Int] = [:]
    var answers = ConsumptionAnswers()
    /// Number of notifications that are being posted or waiting for a retry.
    var pendingPosts = 0
    /// Number of notifications that failed on the last attempt.
    var failedPosts = 0
    private(set) var isStopped = false
    private var pathNumbers: [String: Int] = [:]
    private var held: [Int: Exchange] = [:]
    private var nextHeld = 0
    private var settledActions: [@Sendable () -> Void] = []

    init(environments: [AppStoreEnvironment: ServerAPIEnvironment], faults: ServerAPIFaults, cases: SimulatedRefunds) {
        self.environments = environments
        self.faults = faults
        self.cases = cases
    }

    /// Returns the number of earlier requests with this path, and counts this one.
    mutating func number(of path: String) -> Int {
        if pathNumbers.count >= Self.maximumNumberedPaths { pathNumbers = [:] }
        let number = pathNumbers[path, default: 0]
        pathNumbers[path] = number + 1
        return number
    }

    // MARK: Held requests

    /// Holds a request that will not receive a response.
    mutating func hold(_ exchange: Exchange) -> Int {
        nextHeld += 1
        held[nextHeld] = exchange
        return nextHeld
    }

    mutating func release(_ number: Int) -> Exchange? { held.removeValue(forKey: number) }

    /// - Returns: the held requests.
    mutating func stop() -> [Exchange] {
        isStopped = true
        defer { held = [:] }
        return Array(held.values)
    }

    // MARK: Completion of all cases

    /// Whether the API is idle: no case is open, and nothing is being posted.
    var isSettled: Bool { cases.openCount == 0 && pendingPosts == 0 }

    mutating func whenSettled(_ action: @escaping @Sendable () -> Void) { settledActions.append(action) }

    /// Removes and returns the actions to call, if everything is settled.
    mutating func takeSettledActions() -> [@Sendable () -> Void] {
        guard isSettled else { return [] }
        defer { settledActions = [] }
        return settledActions
    }
}
