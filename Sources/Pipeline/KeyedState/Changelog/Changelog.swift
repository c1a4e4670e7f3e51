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

extension Changelog {
    /// Returns the configuration for reading the topics. A broker answers a fetch when it has 64 KiB of new records, or
    /// after `fetch.wait.max.ms`. Most of them are this member's own publications, and each answer wakes several
    /// threads and causes a transaction. A contribution or a proposal may be read back later by that time.
    ///
    /// The embedded broker answers at once, because it would wait until the limit even if records arrive.
    static func readingConfiguration(_ kafka: KafkaConfiguration) throws(KafkaError) -> KafkaConfiguration {
        guard kafka.profile == .production else { return kafka }
        return try kafka.adding(["fetch.min.bytes": "65536"]) { present, _ in present }
    }
}
