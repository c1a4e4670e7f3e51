internal import Configuration
package import Kafka
package import Lifecycle
internal import Primitives
internal import ServiceKit
internal import Synchronization
package import Telemetry

/// The producer of a member's operator events. It is separate from the member's other producers, so that failed events
/// do not open their circuit breakers.
///
/// It starts first and stops last, so ``OperatorEventType/memberStopped`` is the member's last event.
package final class OperatorEventService: Service {
    package let name = "operator events"

    /// The maximum number of records without a delivery report. Further events are dropped.
    private static let maximumRecords = 1_000
    private static let maximumBytes = 4 << 20
    private static let deadline: Duration = .seconds(60)
    /// The time limit for delivering the last events at shutdown.
    private static let drainLimit: Duration = .seconds(2)

    package let events: OperatorEvents
    private let producer: KafkaProducer
    private let isAnnounced = Atomic(false)

    /// - Parameter kafka: the configuration returned by the topic checks.
    /// - Throws: a `StartupError`.
    package init(
        _ member: OperatorEventMember, topic: KafkaTopic, kafka: KafkaConfiguration, logger: Logger,
        metrics: MetricsRegistry
    ) throws(StartupError) {
        let log = RateLimitedLogger(logger, perSecond: 1)
        var options = KafkaProducer.Options()
        options.maxRecordsInFlight = Self.maximumRecords
        options.maxBytesInFlight = Self.maximumBytes
        let producer: KafkaProducer
        do {
            producer = try KafkaProducer(kafka, topics: [topic], options: options) { event in
                guard case .error(let error, _) = event else { return }
                log.log(.warning, key: error.name, "operator event producer error", [LogField(.error, error.message)])
            }
        } catch {
            throw StartupError(
                error.message, setting: ApplicationSettings.kafka.prefix + "*", fix: "Correct the property",
                exitCode: .configuration)
        }
        self.producer = producer
        let counters = OperatorEventCounters(metrics)
        events = OperatorEvents(member, topic: topic) { type, record in
            let drop: @Sendable (String) -> Void = { reason in
                counters.dropped.increment()
                log.log(
                    .warning, key: type.rawValue, "operator event dropped",
                    [LogField(.eventType, type.name), LogField(.topic, topic.rawValue), LogField(.error, reason)])
            }
            guard (record.value?.count ?? 0) <= OperatorEvents.maximumValueBytes else { return drop("too large") }
            producer.send(record, deadline: Self.deadline) { result in
                switch result {
                case .success: counters.published.increment()
                case .failure(let error): drop(error.message)
                }
            }
        }
    }

    package func start() async throws {}

    /// Publishes the member's start. Called once all of its services have started.
    package func announceStart() {
        guard !isAnnounced.exchange(true, ordering: .relaxed) else { return }
        events.publish(.memberStarted)
    }

    /// Publishes the member's stop if its start was published, and waits until its events are acknowledged.
    package func stop(within limit: Duration) async {
        if isAnnounced.load(ordering: .relaxed) { events.publish(.memberStopped) }
        await producer.close(within: min(limit, Self.drainLimit))
    }
}

/// The metrics for operator events.
private struct OperatorEventCounters: Sendable {
    let published: Counter
    let dropped: Counter

    init(_ metrics: MetricsRegistry) {
        published = metrics.counter(
            OperatorEventMetricName.published, help: "Operator events that Kafka has acknowledged.")
        dropped = metrics.counter(
            OperatorEventMetricName.dropped, help: "Operator events that were too large or not acknowledged.")
    }
}
