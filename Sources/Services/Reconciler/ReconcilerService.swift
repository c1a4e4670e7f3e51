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
internal import Telemetry

/// The assembled components of `sluice-reconciler`.
struct ReconcilerService {
    let state: KeyedState<ReconcilerModel>
    /// Checks revocation, and closes the producer and the HTTP client after the sweeps have ended.
    let outbound: TaskService
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
            topics: TopicNames.environments(of: topics.notifications).mapValues(topics.reconciliation))
        options.history = ReconcilerHandler.history(of: context.group, topics: topics)
        let due = DueWork<SweepLanes.Lane>(pause: pause)
        options.revoked = { _ in await due.release(.cancelled) }
        options.assigned = { _ in due.wake() }
        state = KeyedState(
            options, model: ReconcilerModel(), kafka: context.kafka, logger: context.logger,
            metrics: context.metrics, clocks: clocks, events: context.events)
        let produced = ProducedTopics(topics)
        await KnownCertificates.load(context.kafka, produced, into: verifier, context.logger, clocks)
        let events = KafkaEventLog(context.logger)
        let repaired = sweeps.repairsStatuses ? AppStoreEnvironment.published.map(topics.entitlements) : []
        let producer = try KafkaProducer(context.kafka, topics: produced.all + repaired) { events.take($0) }
        outbound = TaskService("outbound") { limit in
            await producer.close(within: limit * 0.8)
            http.close()
        } task: {
            await verifier.runRevocationChecks(clock: clocks.wallMilliseconds)
        }
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
            metrics: metrics, logger: context.logger, groupPause: context.pause, events: context.events, due: due)
        self.scheduler = scheduler
        handler = ReconcilerHandler(state, topics: topics, outage: sweeps.outage, clocks: clocks) {
            scheduler.recovered($0, at: $1)
        }
    }
}
