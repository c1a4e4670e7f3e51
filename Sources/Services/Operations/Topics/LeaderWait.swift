internal import Kafka
internal import PipelineRuntime

/// Waits for the partitions of new topics to have leaders: before that nobody can write to them, and whatever is
/// started next would find them missing.
enum LeaderWait {
    static let limit: Duration = .seconds(10)

    /// - Parameters:
    ///   - topics: those that were created.
    ///   - describe: asks the brokers; given how long they may take.
    /// - Returns: the topics that could not be used within `limit`, with what they lack.
    static func leaderless(
        _ topics: [KafkaNewTopic], within limit: Duration = limit,
        describe: ([KafkaTopic], Duration) async throws(KafkaError) -> [KafkaTopicDescription]
    ) async -> [KafkaTopic: String] {
        guard !topics.isEmpty else { return [:] }
        let names = topics.map(\.topic)
        do throws(KafkaError) {
            let found = try await SettledTopics(limit: limit, patience: limit).descriptions { left throws(KafkaError) in
                try await describe(names, left)
            } until: { found in
                topics.allSatisfy { lack($0, in: found) == nil }
            }
            let lacks = topics.compactMap { topic in
                lack(topic, in: found).map { (topic.topic, "created, but after \(limit) \($0)") }
            }
            return Dictionary(lacks, uniquingKeysWith: { first, _ in first })
        } catch {
            let reason = "created, but the brokers do not say whether it has leaders: \(error)"
            return Dictionary(names.map { ($0, reason) }, uniquingKeysWith: { first, _ in first })
        }
    }

    private static func lack(_ topic: KafkaNewTopic, in found: [KafkaTopicDescription]) -> String? {
        guard let description = found.first(where: { $0.topic == topic.topic }) else {
            return "not every broker knows it"
        }
        let led = description.partitions.count { $0.leader != nil }
        return led < topic.partitions
            ? "\(topic.partitions - led) of \(topic.partitions) partitions have no leader" : nil
    }
}
