internal import Kafka

/// The clients for a keyed state's topics: a producer, a consumer, and a client for queries.
struct Changelog: Sendable {
    let publisher: StatePublisher
    let consumer: KafkaConsumer
    let queries: StateQueries
    let partitionCounts: [KafkaTopic: Int32]
    /// For each topic, the longest time, in milliseconds, that the database may be out of date and still be used.
    let retention: [KafkaTopic: Int64]
}
