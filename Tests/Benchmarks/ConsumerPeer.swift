internal import Foundation
internal import Kafka

/// A consumer that a team could run instead of `sluice-entitlements`. It merges each notification into the row of its
/// purchase, stores the row, and publishes it.
struct ConsumerPeer: Sendable {
    /// One run of a consumer over a topic.
    struct Run: Sendable {
        let bootstrapServers: String
        let input: KafkaTopic
        let group: KafkaConsumerGroup
        /// The topic of the published rows.
        let output: KafkaTopic
        /// An empty directory.
        let directory: String
    }

    /// The programs of a running consumer.
    struct Running {
        let consumer: PeerProcess
        /// Servers that work for the consumer, such as a database. Their CPU time is included.
        var servers: [PeerProcess] = []

        var tree: ProcessTree { ProcessTree(roots: ([consumer] + servers).map(\.pid)) }

        func stop() { for process in [consumer] + servers { process.stop() } }
    }

    /// The name in the report.
    let name: String
    let group: KafkaConsumerGroup
    let output: KafkaTopic
    /// Whether the consumer creates its output topic.
    let createsOutput: Bool
    /// The highest accepted ratio of our CPU time to this consumer's, by backlog.
    let bars: [String: Double]
    let start: @Sendable (Run) throws -> Running
}
