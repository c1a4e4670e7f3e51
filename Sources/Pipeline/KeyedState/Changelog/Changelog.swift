internal import Kafka

/// The topics of a keyed state: a producer, a consumer, and a client for queries.
struct Changelog: Sendable {
    let publisher: StatePublisher
    let consumer: KafkaConsumer
    let queries: StateQueries
    let partitionCounts: [KafkaTopic: Int32]
    /// The longest time, in milliseconds, for which the database may be out of date and still be used, by topic.
    let retention: [KafkaTopic: Int64]
}
