internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import EntitlementRules
internal import HTTPServer
internal import KeyedState
internal import Lifecycle
internal import PipelineRuntime
internal import Primitives
internal import Records
internal import Telemetry

/// The read API's listener, and the workers for the changes that it accepts.
final class EntitlementsService: Service {
    let name = "entitlements read api"
    private let clocks: Clocks
    private let server: HTTPServer
    private let host: String
    private let logger: Logger
    private let changes: EntitlementChanges
    private let uploads: TransactionUploads?
    private let stories: StoryAnswers?

    /// - Parameters:
    ///   - verifier: the verifier for uploaded transactions, or nil if no app is configured.
    ///   - stories: reads stories from Kafka; nil if stories are disabled.
    /// - Throws: a `ConfigurationError` if other machines can reach the listener without a key, the key file has no
    ///   valid keys, or the apps or credentials are invalid.
    init(
        state: KeyedState<EntitlementsModel>, rules: ProductRules, input: InputFreshness,
        topics: TopicNames, metrics: EntitlementsMetrics, access: AccessLog, verifier: NotificationVerifier?,
        stories: StoryAnswers? = nil,
        configuration: Configuration, logger: Logger,
        clocks: Clocks = .system, budgets: RequestBudgets? = nil, maximumPurchases: Int = ReadAPI.maximumPurchases
    ) throws(ConfigurationError) {
        self.clocks = clocks
        self.logger = logger
        let frequent = RateLimitedLogger(logger, perSecond: 1)
        host = configuration[EntitlementsSettings.host]
        let uploads = try TransactionUploads(
            configuration, verifier: verifier, state: state, rules: rules, input: input, topics: topics, clocks: clocks,
            logger: logger,
            log: frequent, budgets: budgets)
        let changes = EntitlementChanges(
            state: state, rules: rules, input: input, topics: topics, clocks: clocks, log: frequent,
            apps: Set(try AppStoreSettings.apps(configuration).map(\.bundleId)), verifier: verifier)
        self.changes = changes
        self.uploads = uploads
        let keys = try AccessKeys(configuration, clocks: clocks, log: frequent)
        let change = { @Sendable (request: ChangeRequest, exchange: Exchange) in changes.take(request, exchange) }
        var api = ReadAPI(
            reader: { () throws(StateError) in try state.reader() }, topics: topics, rules: rules, clocks: clocks,
            metrics: metrics, log: frequent, access: access,
            keys: keys, obstacle: { state.obstacle }, input: input,
            staleAnswers: configuration[EntitlementsSettings.staleAnswers],
            change: configuration[EntitlementsSettings.changes] ? change : nil)
        self.stories = stories
        if let stories { api.story = { stories.take($0, $1) } }
        if let uploads { api.upload = { uploads.take($0, $1) } }
        api.maximumPurchases = maximumPurchases
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
                fix: error.code == .badHost ? "Use an address of this machine" : "Choose a free port")
        }
        logger.info(
            "ready", [LogField(.listener, "entitlements"), LogField(.host, host), LogField(.port, port)])
    }

    /// Processes the changes and uploads that the read API accepted.
    func run() async throws {
        await withTaskGroup { group in
            group.addTask { await self.changes.run() }
            if let uploads { group.addTask { await uploads.run() } }
            if let stories { group.addTask { await stories.run() } }
        }
    }

    /// Drains open requests. The pipeline has already stopped, so no more facts are merged.
    func stop(within limit: Duration) async {
        await server.drain(within: min(limit / 2, .seconds(2)))
    }
}
