public import Configuration
public import Kafka
public import Lifecycle
public import ServiceKit
public import Telemetry

/// Topics of a consumer, checked before anything starts. The runtime adds the dead letter topics.
public struct ConsumerTopics: Sendable {
    /// Input topics.
    public var input: [KafkaTopicExpectation]
    /// Other required topics, which the handler writes.
    public var others: [KafkaTopicExpectation]
    /// Dead letter topic of all inputs; nil for one of each input topic.
    public var deadLetters: KafkaTopic?

    public init(
        input: [KafkaTopicExpectation], others: [KafkaTopicExpectation] = [], deadLetters: KafkaTopic? = nil
    ) {
        self.input = input
        self.others = others
        self.deadLetters = deadLetters
    }
}

/// Input of a consumer's factory: everything is configured and checked, nothing is started.
public struct ConsumerContext: Sendable {
    /// The validated configuration, including the consumer's own settings.
    public let configuration: Configuration
    /// Brokers and librdkafka properties, with the profile of the broker that responded; for the consumer's own
    /// producers.
    public let kafka: KafkaConfiguration
    /// The group, by default the executable's name (``ConsumerSettings/group(of:)``).
    public let group: KafkaConsumerGroup
    public let logger: Logger
    public let metrics: MetricsRegistry
    /// The configured options of the pipeline. A handler that needs other options returns a changed copy in
    /// ``ConsumerParts/options``.
    public let options: PipelineOptions
    /// Offsets up to which the pipeline has handled its partitions.
    public let handled: HandledOffsets
}

/// Result of a consumer's factory.
public struct ConsumerParts: Sendable {
    /// The handler; nil if the process joins no group and reads no input.
    public var handler: PipelineHandler?
    /// Services that start in this order before the first record, and stop in reverse order after the last: stores,
    /// producers, listeners.
    public var services: [any Service]
    /// Readiness checks in addition to the pipeline's own.
    public var readiness: [HealthCheck]
    /// Checks of faults that only a restart repairs, in addition to the pipeline's own liveness check.
    public var liveness: [HealthCheck]
    /// Additional pages of the admin listener.
    public var pages: [AdminPage]
    /// Options of the pipeline; nil for ``ConsumerContext/options``.
    public var options: PipelineOptions?

    public init(
        handler: PipelineHandler?, services: [any Service] = [], readiness: [HealthCheck] = [],
        liveness: [HealthCheck] = [],
        options: PipelineOptions? = nil, pages: [AdminPage] = []
    ) {
        self.handler = handler
        self.services = services
        self.readiness = readiness
        self.liveness = liveness
        self.options = options
        self.pages = pages
    }
}
