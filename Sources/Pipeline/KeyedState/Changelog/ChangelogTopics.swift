internal import Kafka
internal import Lifecycle
internal import PipelineRuntime

/// A keyed state's topics as the brokers describe them.
struct ChangelogTopics {
    /// The cluster ID.
    let cluster: String
    private(set) var partitionCounts: [KafkaTopic: Int] = [:]
    /// For each topic, the longest time, in milliseconds, that a database may be out of date and still be used.
    private(set) var retention: [KafkaTopic: Int64] = [:]

    /// Queries the brokers.
    ///
    /// - Throws: a `KafkaError`, or a `StartupError` if a topic does not exist or its partition count differs from its
    ///   input's.
    init(of options: StateOptions, _ kafka: KafkaConfiguration) async throws {
        self = try await KafkaAdmin(kafka).closing { try await ChangelogTopics(of: options, $0) }
    }

    private init(of options: StateOptions, _ admin: KafkaAdmin) async throws {
        cluster = try await admin.clusterId(within: .seconds(10))
        let topics = Array(Set(options.topics.values)) + options.topics.keys
        let found = try await admin.describeTopics(topics, within: .seconds(10))
        var counts: [KafkaTopic: Int] = [:]
        for topic in found { counts[topic.topic] = topic.partitions.count }
        for (input, topic) in options.topics {
            guard let count = counts[topic], let inputs = counts[input] else {
                throw StartupError(
                    "\(counts[topic] == nil ? topic : input) does not exist", setting: "topics.prefix",
                    fix: "Create it with: sluicectl topics apply", exitCode: .configuration)
            }
            guard count == inputs else {
                throw StartupError(
                    "\(topic) has \(count) partitions, but \(input) has \(inputs); the counts must be equal",
                    setting: "topics.prefix",
                    fix: "Create the topics with sluicectl topics apply under a different topics.prefix",
                    exitCode: .configuration)
            }
            partitionCounts[topic] = count
            let wanted = options.tombstoneRetention.components.seconds * 1_000
            let settings = found.first { $0.topic == topic }?.configuration
            let kept = settings?[KafkaTopicFinding.Subject.deleteRetention.rawValue].flatMap { Int64($0) }
            // Rebuild a file that is out of date by more than five sixths of the topic's tombstone retention. The
            // remaining sixth leaves time to read the missed records before their tombstones are removed.
            retention[topic] = min(wanted, kept.map { max(0, $0) / 6 * 5 } ?? wanted)
        }
    }
}
