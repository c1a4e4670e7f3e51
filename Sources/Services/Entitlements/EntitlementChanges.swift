internal import AppStoreModel
internal import EntitlementRules
internal import HTTPServer
internal import KeyedState
internal import Records
internal import Telemetry
internal import Time

/// Does claims and erasures, one after the other; each takes about as long as Kafka to acknowledge.
final class EntitlementChanges: Sendable {
    private let state: KeyedState<EntitlementsModel>
    private let rules: ProductRules
    private let input: InputFreshness
    private let topics: TopicNames
    private let clocks: Clocks
    private let log: RateLimitedLogger
    private let apps: Set<BundleId>
    private let waiting = WaitingExchanges<ChangeRequest>(atMost: 64)

    /// - Parameter apps: those whose purchases may be claimed before anything is known of them; empty: every app's.
    init(
        state: KeyedState<EntitlementsModel>, rules: ProductRules, input: InputFreshness, topics: TopicNames,
        clocks: Clocks, log: RateLimitedLogger, apps: Set<BundleId>
    ) {
        self.state = state
        self.rules = rules
        self.input = input
        self.topics = topics
        self.clocks = clocks
        self.log = log
        self.apps = apps
    }

    /// - Returns: false when too many wait.
    func take(_ request: ChangeRequest, _ exchange: Exchange) -> Bool { waiting.take(request, exchange) }

    func run() async {
        for await waiting in waiting.all { waiting.exchange.respond(await answer(waiting.request)) }
    }

    private func answer(_ request: ChangeRequest) async -> HTTPResponse {
        let key = EntitlementsModel.key(request.bundleId, request.originalTransactionId)
        let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
        do {
            let purchase = try await state.contribute(
                to: key, from: topics.input(request.environment), orTo: unknown(request)
            ) { known in
                request.contribution(to: known, at: now)
            }
            guard let purchase, !purchase.isErased || request.change == .erasure else {
                return ReadAPI.problem(404, ReadAPIName.notFound, "nothing is known of this purchase")
            }
            if case .claim(let token, _) = request.change, purchase.owner(at: now) != token {
                return ReadAPI.problem(
                    409, ReadAPIName.belongsToAnother,
                    "the purchase was made with another appAccountToken; \(ReadAPIName.transfer) moves it")
            }
            return HTTPResponse(
                status: 200, reason: "changed", headers: [ReadAPI.revalidate],
                body: EntitlementsAnswers(rules: rules, input: input).changed(purchase, at: now))
        } catch {
            log.log(.error, key: "change", "a change was not made", [LogField(.error, "\(error)")])
            return ReadAPI.problem(503, ReadAPIName.unavailable, "not acknowledged; the same may be asked again")
        }
    }

    /// What a claim begins with that comes before the first notification. Only what Apple could name so: the id of a
    /// purchase is a decimal number.
    private func unknown(_ request: ChangeRequest) -> PurchaseFacts? {
        guard case .claim = request.change, apps.isEmpty || apps.contains(request.bundleId),
            !request.bundleId.rawValue.contains("/"),
            case .number = TransactionKey(TransactionId(request.originalTransactionId.rawValue))
        else { return nil }
        return PurchaseFacts(
            environment: request.environment, bundleId: request.bundleId,
            originalTransactionId: request.originalTransactionId)
    }
}
