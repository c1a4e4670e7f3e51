internal import AppStoreModel
internal import HTTPServer

/// What changes while the API is served.
struct ServerAPIState: Sendable {
    struct RateKey: Hashable, Sendable {
        let environment: AppStoreEnvironment
        let operation: ServerAPIOperation
    }

    /// Paths whose requests are numbered for the faults; more are forgotten together.
    private static let maximumNumberedPaths = 500_000

    var environments: [AppStoreEnvironment: ServerAPIEnvironment]
    var faults: ServerAPIFaults
    var cases: SimulatedRefunds
    var rates: [RateKey: RequestRate] = [:]
    var tokenProblems: [BearerToken.Problem: Int] = [:]
    var answers = ConsumptionAnswers()
    /// Notifications that are being posted or wait to be posted again.
    var pendingPosts = 0
    /// Notifications that failed at the last attempt.
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

    /// How many requests with this path came before.
    mutating func number(of path: String) -> Int {
        if pathNumbers.count >= Self.maximumNumberedPaths { pathNumbers = [:] }
        let number = pathNumbers[path, default: 0]
        pathNumbers[path] = number + 1
        return number
    }

    // MARK: Requests without an answer

    /// Keeps a request that is not answered.
    mutating func hold(_ exchange: Exchange) -> Int {
        nextHeld += 1
        held[nextHeld] = exchange
        return nextHeld
    }

    mutating func release(_ number: Int) -> Exchange? { held.removeValue(forKey: number) }

    /// - Returns: what is held.
    mutating func stop() -> [Exchange] {
        isStopped = true
        defer { held = [:] }
        return Array(held.values)
    }

    // MARK: The end of all cases

    /// Whether no case is open and nothing is being posted.
    var isSettled: Bool { cases.openCount == 0 && pendingPosts == 0 }

    mutating func whenSettled(_ action: @escaping @Sendable () -> Void) { settledActions.append(action) }

    /// What to call now that everything may be settled.
    mutating func takeSettledActions() -> [@Sendable () -> Void] {
        guard isSettled else { return [] }
        defer { settledActions = [] }
        return settledActions
    }
}
