public import Configuration
public import Kafka
public import Lifecycle
package import OperatorEvents
public import ServiceKit
public import Telemetry
package import Tracing

/// The topics of a consumer, checked at startup. The runtime adds the dead letter topics.
public struct ConsumerTopics: Sendable {
    /// The input topics.
    public var input: [KafkaTopicExpectation]
    /// Other required topics, such as those that the handler writes to.
    public var others: [KafkaTopicExpectation]
    /// The shared dead letter topic for all input topics. If nil, each input topic has a separate one.
    public var deadLetters: KafkaTopic?
    /// The control topic, which records whether the group is paused (`sluicectl pause`). If nil, the group cannot be
    /// paused.
    public var control: KafkaTopicExpectation?
    /// The topic for operator events of a consumer with the setting ``OperatorEventSettings/events``.
    package var operations: KafkaTopicExpectation?

    public init(
        input: [KafkaTopicExpectation], others: [KafkaTopicExpectation] = [], deadLetters: KafkaTopic? = nil,
        control: KafkaTopicExpectation? = nil
    ) {
        self.input = input
        self.others = others
        self.deadLetters = deadLetters
        self.control = control
    }

    /// Creates the topics of a consumer that publishes operator events if they are on.
    package init(
        input: [KafkaTopicExpectation], others: [KafkaTopicExpectation] = [], deadLetters: KafkaTopic? = nil,
        control: KafkaTopicExpectation?, operations: KafkaTopicExpectation?
    ) {
        self.init(input: input, others: others, deadLetters: deadLetters, control: control)
        self.operations = operations
    }
}

/// The argument passed to a consumer's `build` closure. At this point, everything is configured and checked but nothing
/// has started.
public struct ConsumerContext: Sendable {
    /// The validated configuration, including the consumer's own settings.
    public let configuration: Configuration
    /// The brokers and librdkafka properties for the consumer's own producers, adapted to the broker that responded.
    public let kafka: KafkaConfiguration
    /// The consumer group, by default the name of the executable (``ConsumerSettings/group(of:)``).
    public let group: KafkaConsumerGroup
    public let logger: Logger
    public let metrics: MetricsRegistry
    /// The configured pipeline options. A handler that needs other options returns a modified copy in
    /// ``ConsumerParts/options``.
    public let options: PipelineOptions
    /// For each partition, the offset before which the pipeline has handled all records.
    public let handled: HandledOffsets
    /// Whether the group is paused. The runtime itself stops calling the handler; anything else, such as the consumer's
    /// schedules, must check this.
    public let pause: GroupPause
    /// Starts traces outside handler calls, such as those for schedules; nil if tracing is off. Work within a handler
    /// call belongs to the record's trace.
    package let tracer: Tracer?
    /// Publishes operator events; nil if they are off.
    package let events: OperatorEvents?
}

/// The result of a consumer's `build` closure.
public struct ConsumerParts: Sendable {
    /// The handler, or nil if the process joins no group and reads no input.
    public var handler: PipelineHandler?
    /// Services such as stores, producers and listeners. They start in this order before the first record is handled,
    /// and stop in reverse order after the last.
    public var services: [any Service]
    /// Readiness checks in addition to the pipeline's own.
    public var readiness: [HealthCheck]
    /// Checks for faults that only a restart can fix, in addition to the pipeline's liveness check.
    public var liveness: [HealthCheck]
    /// Additional pages on the admin listener.
    public var pages: [AdminPage]
    /// The pipeline options, or nil for ``ConsumerContext/options``.
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
