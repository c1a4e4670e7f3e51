internal import AppStoreModel
internal import Configuration
internal import EntitlementRules
internal import HTTPServer
internal import KeyedState
internal import Lifecycle
internal import PipelineRuntime
internal import Records
internal import Telemetry
internal import Time

/// The read API's listener, and who does the changes that it takes.
final class EntitlementsService: Service {
    let name = "entitlements read api"
    private let state: KeyedState<EntitlementsModel>
    private let topics: TopicNames
    private let rules: ProductRules
    private let clocks: Clocks
    private let server: HTTPServer
    private let host: String
    private let logger: Logger
    private let frequent: RateLimitedLogger
    private let changes: AsyncStream<Waiting>

    /// A change that was asked for, and who waits for it.
    private struct Waiting: Sendable {
        let request: ChangeRequest
        let exchange: Exchange
    }

    /// Claims and erasures that may wait; each takes about as long as Kafka to acknowledge.
    private static let maximumWaiting = 64

    init(
        state: KeyedState<EntitlementsModel>, rules: ProductRules,
        topics: TopicNames, metrics: EntitlementsMetrics, configuration: Configuration, logger: Logger,
        clocks: Clocks = .system, maximumPurchases: Int = ReadAPI.maximumPurchases
    ) {
        self.state = state
        self.rules = rules
        self.topics = topics
        self.clocks = clocks
        self.logger = logger
        frequent = RateLimitedLogger(logger, perSecond: 1)
        host = configuration[EntitlementsSettings.host]
        let (changes, incoming) = AsyncStream.makeStream(
            of: Waiting.self, bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
        self.changes = changes
        let change = { @Sendable (request: ChangeRequest, exchange: Exchange) -> Bool in
            guard case .enqueued = incoming.yield(Waiting(request: request, exchange: exchange)) else { return false }
            return true
        }
        let api = ReadAPI(
            reader: { () throws(StateError) in try state.reader() }, topics: topics, rules: rules, clocks: clocks,
            metrics: metrics, log: frequent,
            obstacle: { state.obstacle },
            change: configuration[EntitlementsSettings.changes] ? change : nil, maximumPurchases: maximumPurchases)
        server = HTTPServer(listeners: [
            api.listener(host: host, port: configuration[EntitlementsSettings.port])
        ])
    }

    /// The port of the read API; 0 before `start()`.
    var port: UInt16 { server.port() }

    func start() async throws {
        do {
            try server.start()
        } catch {
            throw StartupError(
                error.message,
                setting: error.code == .badHost ? EntitlementsSettings.host.key : EntitlementsSettings.port.key,
                fix: error.code == .badHost ? "Give an address of this machine" : "Choose a free port")
        }
        logger.info(
            "ready", [LogField(.listener, "entitlements"), LogField(.host, host), LogField(.port, port)])
    }

    /// Does the claims and erasures, one after the other.
    func run() async throws {
        for await waiting in changes { waiting.exchange.respond(await answer(waiting.request)) }
    }

    private func answer(_ request: ChangeRequest) async -> HTTPResponse {
        let key = EntitlementsModel.key(request.bundleId, request.originalTransactionId)
        let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
        do {
            let purchase = try await state.contribute(to: key, from: topics.input(request.environment)) { known in
                request.contribution(to: known, at: now)
            }
            guard let purchase, !purchase.isErased || request.change == .erasure else {
                return ReadAPI.problem(404, ReadAPIName.notFound, "nothing is known of this purchase")
            }
            if case .claim(let token, _) = request.change, purchase.appAccountToken != token {
                return ReadAPI.problem(
                    409, ReadAPIName.belongsToAnother,
                    "the purchase was made with another appAccountToken; \(ReadAPIName.transfer) moves it")
            }
            return HTTPResponse(
                status: 200, reason: "changed", body: EntitlementsAnswers(rules: rules).changed(request, purchase))
        } catch {
            frequent.log(.error, key: "change", "a change was not made", [LogField(.error, "\(error)")])
            return ReadAPI.problem(503, ReadAPIName.unavailable, "not acknowledged; the same may be asked again")
        }
    }

    /// After the pipeline has stopped: nothing merges any more. Answers what was asked.
    func stop(within limit: Duration) async {
        await server.drain(within: min(limit / 2, .seconds(2)))
    }
}
