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
internal import Records
internal import RefundRules
internal import ServiceKit
internal import Telemetry

/// The assembled components of `sluice-refunds`.
struct RefundsService {
    let state: KeyedState<RefundsModel>
    let preferences: PreferenceFollower
    let scheduler: RefundScheduler
    /// Checks whether the certificates that sign App Store Server API responses have been revoked.
    let revocation: TaskService
    let handler: KeyedStateHandler<RefundsModel>

    /// - Throws: the same `ConfigurationError` as ``RefundsConfiguration``, or a `StartupError` if the data directory
    ///   is unusable.
    init(
        _ context: ConsumerContext, topics: TopicNames, clocks: Clocks,
        pause: @escaping @Sendable () async throws -> Void
    ) throws {
        let configuration = context.configuration
        let log = RateLimitedLogger(context.logger, perSecond: 5)
        let settings = try RefundsConfiguration(configuration, clocks: clocks, log: log)
        for warning in settings.warnings {
            context.logger.warning("some refund requests may remain unanswered", [LogField(.fix, warning)])
        }
        let metrics = RefundsMetrics(
            context.metrics, rules: settings.rules.names, now: clocks.wallMilliseconds)
        let model = RefundsModel(
            gap: configuration[AppStoreSettings.refundRoundGap].clampedMilliseconds,
            environments: TopicNames.environments(of: topics.refunds))
        var options = try StateOptions(
            file: "refunds.sqlite", in: configuration,
            topics: TopicNames.environments(of: topics.notifications).mapValues(topics.refunds))
        let due = DueWork<RefundSchedule.CaseKey>(pause: pause)
        options.revoked = { _ in await due.release(.finished(within: .seconds(5))) }
        options.assigned = { _ in due.wake() }
        state = KeyedState(
            options, model: model, kafka: context.kafka, logger: context.logger, metrics: context.metrics,
            clocks: clocks, events: context.events)
        preferences = PreferenceFollower(
            kafka: context.kafka, topic: topics.refundPreferences,
            path: configuration[ConsumerSettings.dataDirectory] + "/refund-preferences.sqlite",
            metrics: context.metrics, logger: context.logger)
        let verifier = settings.verifier
        revocation = TaskService("revocation") { await verifier.runRevocationChecks(clock: clocks.wallMilliseconds) }
        let appStore = AppStoreRefundAPI(
            client: AppStoreSettings.client(
                settings.api, verifier: settings.verifier, clocks: clocks, logger: context.logger,
                observe: metrics.observe))
        let api: any RefundAPI = context.tracer.map { TracedRefundAPI(api: appStore, tracer: $0) } ?? appStore
        let store = KeyedRefundStore(state: state, preferences: preferences, topics: topics)
        let decisions = RefundDecisions(
            rules: settings.rules, apps: Set(settings.apps), provider: settings.provider,
            fallback: configuration[RefundsSettings.fallback],
            fallbackMargin: configuration[RefundsSettings.fallbackMargin].clampedMilliseconds, api: api, store: store,
            metrics: metrics, log: log)
        let work = RefundWork(
            mode: configuration[RefundsSettings.mode], store: store, decisions: decisions, api: api, clocks: clocks,
            metrics: metrics, log: log, pause: pause)
        let scheduler = RefundScheduler(
            state: state, model: model, topics: topics, apps: settings.apps, work: work,
            schedule: RefundSchedule(
                concurrency: configuration[RefundsSettings.concurrency], fallbackMargin: decisions.fallbackMargin),
            clocks: clocks, metrics: metrics, log: log, groupPause: context.pause, events: context.events,
            due: due)
        self.scheduler = scheduler
        handler = RefundsHandler.handler(
            of: state, topics: topics, ignored: settings.ignored, metrics: metrics, clocks: clocks
        ) { scheduler.wake() }
    }
}
