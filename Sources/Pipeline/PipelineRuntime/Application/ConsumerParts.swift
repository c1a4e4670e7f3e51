public import Configuration
public import Kafka
public import Lifecycle
public import ServiceKit
public import Telemetry

/// The topics of a consumer, checked before anything starts. Dead letter topics are added by the runtime.
public struct ConsumerTopics: Sendable {
    /// What is read.
    public var input: [KafkaTopicExpectation]
    /// What else must be there: topics that the handler writes.
    public var others: [KafkaTopicExpectation]
    /// One dead letter topic for all that is read; nil: one for each topic.
    public var deadLetters: KafkaTopic?

    public init(
        input: [KafkaTopicExpectation], others: [KafkaTopicExpectation] = [], deadLetters: KafkaTopic? = nil
    ) {
        self.input = input
        self.others = others
        self.deadLetters = deadLetters
    }
}

/// What a consumer's factory gets: everything configured and checked, nothing started.
public struct ConsumerContext: Sendable {
    /// The validated configuration, the consumer's own settings included.
    public let configuration: Configuration
    /// Brokers and librdkafka properties, with the profile of the broker that answered: for producers of the
    /// consumer's own.
    public let kafka: KafkaConfiguration
    /// The group, by default the executable's name (``ConsumerSettings/group(of:)``).
    public let group: KafkaConsumerGroup
    public let logger: Logger
    public let metrics: MetricsRegistry
    /// How the pipeline consumes, by the configuration: changed and given back in ``ConsumerParts/options`` where the
    /// handler needs something else.
    public let options: PipelineOptions
    /// How far the pipeline has handled its partitions.
    public let handled: HandledOffsets
}

/// What a consumer's factory returns.
public struct ConsumerParts: Sendable {
    /// Nil: the process is in no group and reads no input.
    public var handler: PipelineHandler?
    /// Started before the first record, in this order, and stopped in reverse after the last: stores, producers,
    /// listeners.
    public var services: [any Service]
    /// What must be true beside the pipeline's own readiness.
    public var readiness: [HealthCheck]
    /// Checks of faults that only a restart repairs, beside the pipeline's own liveness.
    public var liveness: [HealthCheck]
    /// Pages of the admin listener.
    public var pages: [AdminPage]
    /// How the pipeline consumes; nil: as ``ConsumerContext/options`` says.
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
