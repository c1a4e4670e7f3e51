package import Configuration
package import Kafka
package import Lifecycle
package import ServiceKit
package import Telemetry

/// The topics of a consumer, checked before anything starts. Dead letter topics are added by the runtime.
package struct ConsumerTopics: Sendable {
    /// What is read.
    package var input: [KafkaTopicExpectation]
    /// What else must be there: topics that the handler writes.
    package var others: [KafkaTopicExpectation]

    package init(input: [KafkaTopicExpectation], others: [KafkaTopicExpectation] = []) {
        self.input = input
        self.others = others
    }
}

/// What a consumer's factory gets: everything configured and checked, nothing started.
package struct ConsumerContext: Sendable {
    /// The validated configuration, the consumer's own settings included.
    package let configuration: Configuration
    /// Brokers and librdkafka properties, with the profile of the broker that answered: for producers of the
    /// consumer's own.
    package let kafka: KafkaConfiguration
    /// `kafka.group.id`, by default the executable's name.
    package let group: KafkaConsumerGroup
    package let logger: Logger
    package let metrics: MetricsRegistry
}

/// What a consumer's factory returns.
package struct ConsumerParts: Sendable {
    package var handler: PipelineHandler
    /// Started before the first record, in this order, and stopped in reverse after the last: stores, producers,
    /// listeners.
    package var services: [any Service]
    /// What must be true beside the pipeline's own readiness.
    package var readiness: [AdminListener.Check]
    /// Changes options that are not configuration, such as the batch size.
    package var adjust: @Sendable (inout PipelineOptions) -> Void

    package init(
        handler: PipelineHandler, services: [any Service] = [], readiness: [AdminListener.Check] = [],
        adjust: @escaping @Sendable (inout PipelineOptions) -> Void = { _ in }
    ) {
        self.handler = handler
        self.services = services
        self.readiness = readiness
        self.adjust = adjust
    }

    func adjusted(_ options: PipelineOptions) -> PipelineOptions {
        var options = options
        adjust(&options)
        return options
    }
}
