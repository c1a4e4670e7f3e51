public import Configuration
public import Kafka
public import Lifecycle
public import ServiceKit
public import Telemetry

/// The topics of a consumer, which are checked before anything starts. The runtime adds the dead letter topics.
public struct ConsumerTopics: Sendable {
    /// The input topics.
    public var input: [KafkaTopicExpectation]
    /// Other required topics, which the handler writes to.
    public var others: [KafkaTopicExpectation]
    /// The dead letter topic of all inputs; nil means one per input topic.
    public var deadLetters: KafkaTopic?

    public init(
        input: [KafkaTopicExpectation], others: [KafkaTopicExpectation] = [], deadLetters: KafkaTopic? = nil
    ) {
        self.input = input
        self.others = others
        self.deadLetters = deadLetters
    }
}

/// The input of a consumer's `build` closure: everything is configured and checked, but nothing is started.
public struct ConsumerContext: Sendable {
    /// The validated configuration, including the consumer's own settings.
    public let configuration: Configuration
    /// Brokers and librdkafka properties, with the profile of the broker that responded. For the consumer's own
    /// producers.
    public let kafka: KafkaConfiguration
    /// The consumer group; by default, the executable's name (``ConsumerSettings/group(of:)``).
    public let group: KafkaConsumerGroup
    public let logger: Logger
    public let metrics: MetricsRegistry
    /// The configured pipeline options. A handler that needs other options returns a modified copy in
    /// ``ConsumerParts/options``.
    public let options: PipelineOptions
    /// The offsets up to which the pipeline has handled its partitions.
    public let handled: HandledOffsets
}

/// The result of a consumer's `build` closure.
public struct ConsumerParts: Sendable {
    /// The handler; nil if the process joins no group and reads no input.
    public var handler: PipelineHandler?
    /// Services such as stores, producers and listeners. They start in this order before the first record, and stop in
    /// reverse order after the last.
    public var services: [any Service]
    /// Readiness checks in addition to the pipeline's own.
    public var readiness: [HealthCheck]
    /// Checks for faults that only a restart can fix, in addition to the pipeline's own liveness check.
    public var liveness: [HealthCheck]
    /// Additional pages for the admin listener.
    public var pages: [AdminPage]
    /// The pipeline options; nil means ``ConsumerContext/options``.
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
