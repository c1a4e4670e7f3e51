internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import HTTPClient
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Records
internal import RefundCases
internal import RefundRules
internal import ServiceKit
internal import Synchronization
internal import Telemetry
internal import Time

/// The parts of `sluice-refunds`, put together.
struct RefundsService {
    let state: KeyedState<RefundsModel>
    let scheduler: RefundScheduler
    let revocation: RevocationService
    let handler: KeyedStateHandler<RefundsModel>

    /// - Throws: a `ConfigurationError` for apps, roots, credentials, rules or a provider that cannot be used.
    init(
        _ context: ConsumerContext, topics: TopicNames, clocks: Clocks,
        pause: @escaping @Sendable () async throws -> Void
    ) throws {
        let configuration = context.configuration
        let log = RateLimitedLogger(context.logger, perSecond: 5)
        let metrics = RefundsMetrics(context.metrics, now: clocks.wallMilliseconds)
        var options = try StateOptions(
            file: "refunds.sqlite", in: configuration,
            topics: Dictionary(
                uniqueKeysWithValues: AppStoreEnvironment.published.map {
                    (topics.notifications($0), topics.refunds($0))
                }))
        // A decision looks at the customer's other cases and at withdrawn consents, in whatever partition they are.
        guard options.role == .all else {
            throw configuration.error(
                StateSettings.role.key, "sluice-refunds follows every partition; give it all, or leave it out.")
        }
        let scheduled = LateScheduler()
        options.revoked = { _ in await scheduled.scheduler?.release() }
        options.assigned = { _ in scheduled.scheduler?.wake() }
        state = KeyedState(
            options, model: RefundsModel(), kafka: context.kafka, logger: context.logger, metrics: context.metrics,
            clocks: clocks)
        let verifier = try AppStoreSettings.verifier(configuration)
        revocation = RevocationService(verifier, clocks: clocks)
        let api = RefundAPI(
            client: try RefundsAPIClient.make(
                configuration, verifier: verifier, clocks: clocks, logger: context.logger))
        let decisions = RefundDecisions(
            rules: try RefundRules(configuration), apps: Set(try AppStoreSettings.apps(configuration).map(\.bundleId)),
            provider: try ConsumptionProvider(configuration, clocks: clocks, log: log),
            fallback: configuration[RefundsSettings.fallback],
            fallbackMargin: configuration[RefundsSettings.fallbackMargin].clampedMilliseconds, api: api, state: state,
            topics: topics, metrics: metrics, log: log)
        let work = RefundWork(
            state: state, topics: topics, decisions: decisions, api: api, clocks: clocks, metrics: metrics, log: log,
            pause: pause)
        let scheduler = RefundScheduler(
            state: state, topics: topics, work: work,
            schedule: RefundSchedule(
                concurrency: configuration[RefundsSettings.concurrency], fallbackMargin: decisions.fallbackMargin),
            clocks: clocks, metrics: metrics, log: log, pause: pause)
        scheduled.set(scheduler)
        self.scheduler = scheduler
        handler = RefundsHandler.handler(of: state, topics: topics, metrics: metrics) { scheduler.wake() }
    }
}

/// The state is made before the scheduler, and tells it of partitions.
private final class LateScheduler: Sendable {
    private let made = Mutex<RefundScheduler?>(nil)

    var scheduler: RefundScheduler? { made.withLock { $0 } }

    func set(_ scheduler: RefundScheduler) { made.withLock { $0 = scheduler } }
}
