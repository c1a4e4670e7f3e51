internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import HTTPClient
internal import Kafka
internal import KeyedState
internal import Lifecycle
internal import PipelineRuntime
internal import Primitives
internal import Publication
internal import Records
internal import Synchronization
internal import Telemetry

/// The assembled components of `sluice-reconciler`.
struct ReconcilerService {
    let state: KeyedState<ReconcilerModel>
    let outbound: OutboundService
    let scheduler: SweepScheduler
    let handler: ReconcilerHandler

    /// - Throws: a `ConfigurationError` if the apps, root certificates or credentials are unusable, or a `KafkaError`
    ///   if librdkafka rejects a property.
    init(
        _ context: ConsumerContext, topics: TopicNames, clocks: Clocks,
        sleep: @escaping @Sendable (Duration) async throws -> Void, pause: @escaping @Sendable () async throws -> Void
    ) async throws {
        let configuration = context.configuration
        let settings = try ReconcilerConfiguration(configuration)
        let (sweeps, http, verifier) = (settings.sweeps, settings.http, settings.verifier)
        let metrics = ReconcilerMetrics(context.metrics)
        var options = try StateOptions(
            file: "reconciliation.sqlite", in: configuration,
            topics: Dictionary(
                uniqueKeysWithValues: AppStoreEnvironment.published.map {
                    (topics.notifications($0), topics.reconciliation($0))
                }))
        options.history = ReconcilerHandler.history(of: context.group, topics: topics)
        let scheduled = LateScheduler()
        options.revoked = { _ in await scheduled.scheduler?.release() }
        options.assigned = { _ in scheduled.scheduler?.wake() }
        state = KeyedState(
            options, model: ReconcilerModel(), kafka: context.kafka, logger: context.logger,
            metrics: context.metrics, clocks: clocks)
        let produced = ProducedTopics(topics)
        await KnownCertificates.load(context.kafka, produced, into: verifier, context.logger, clocks)
        let events = KafkaEventLog(context.logger)
        let repaired = sweeps.repairsStatuses ? AppStoreEnvironment.published.map(topics.entitlements) : []
        let producer = try KafkaProducer(context.kafka, topics: produced.all + repaired) { events.take($0) }
        outbound = OutboundService(producer: producer, http: http, verifier: verifier, clocks: clocks)
        let publisher = NotificationPublisher(
            producer: producer, topics: produced, clock: clocks.monotonicNanoseconds, observe: { _ in })
        let client = ReconcilerAPI.client(
            sweeps, http: http, verifier: verifier, clocks: clocks, sleep: sleep, metrics: metrics,
            logger: context.logger)
        let repetition = Repetition(clocks: clocks, sleep: sleep) { metrics.failed(.api) }
        let index = ReceivedIndex(state: state, topics: topics, kafka: context.kafka, group: context.group)
        let missing = MissingPublisher(publisher: publisher, clocks: clocks)
        let history = HistorySweeper(
            client: client, index: index, quarantine: QuarantineIndex(topics: topics, kafka: context.kafka),
            publisher: missing, clocks: clocks, metrics: metrics, repetition: repetition,
            handled: HandledNotifications())
        let subscriptions = PublishedSubscriptions(topics: topics, kafka: context.kafka, clocks: clocks)
        let statuses = StatusSweeper(
            client: client, subscriptions: subscriptions,
            repairer: StatusRepairer(
                isOn: sweeps.repairsStatuses, producer: producer, subscriptions: subscriptions, index: index,
                publisher: missing, clocks: clocks, metrics: metrics, logger: context.logger),
            clocks: clocks, repetition: repetition)
        let scheduler = SweepScheduler(
            state: state, topics: topics, sweeps: sweeps, history: history, statuses: statuses, clocks: clocks,
            metrics: metrics, logger: context.logger, groupPause: context.pause, pause: pause)
        scheduled.set(scheduler)
        self.scheduler = scheduler
        handler = ReconcilerHandler(state, topics: topics, outage: sweeps.outage, clocks: clocks) {
            scheduler.recovered($0, at: $1)
        }
    }
}

/// The external resources that the sweeps use: the producer, the HTTP client and the revocation checks. They outlive
/// the sweeps.
final class OutboundService: Service {
    let name = "outbound"
    private let producer: KafkaProducer
    private let http: HTTPClient
    private let verifier: NotificationVerifier
    private let clocks: Clocks

    init(producer: KafkaProducer, http: HTTPClient, verifier: NotificationVerifier, clocks: Clocks) {
        self.producer = producer
        self.http = http
        self.verifier = verifier
        self.clocks = clocks
    }

    func start() async throws {}

    func run() async throws {
        await verifier.runRevocationChecks(clock: clocks.wallMilliseconds)
        // Without revocation checks, the call returns at once. Wait for cancellation: returning would end the process.
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    func stop(within limit: Duration) async {
        await producer.close(within: limit * 0.8)
        http.close()
    }
}

/// A reference to the scheduler for the state, which is created first and notifies the scheduler of partition changes.
private final class LateScheduler: Sendable {
    private let made = Mutex<SweepScheduler?>(nil)

    var scheduler: SweepScheduler? { made.withLock { $0 } }

    func set(_ scheduler: SweepScheduler) { made.withLock { $0 = scheduler } }
}
