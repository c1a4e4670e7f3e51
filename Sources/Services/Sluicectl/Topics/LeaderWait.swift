internal import Kafka
internal import ServiceKit

/// Waits until the partitions of new topics have leaders. Until then, they are not writable, and a starting executable
/// would consider them missing.
enum LeaderWait {
    static let limit: Duration = .seconds(10)

    /// - Parameters:
    ///   - topics: the topics that were created.
    ///   - describe: describes topics within the given time limit.
    /// - Returns: the topics that did not become usable within `limit`, with the reasons.
    static func leaderless(
        _ topics: [KafkaNewTopic], within limit: Duration = limit,
        describe: ([KafkaTopic], Duration) async throws(KafkaError) -> [KafkaTopicDescription]
    ) async -> [KafkaTopic: String] {
        guard !topics.isEmpty else { return [:] }
        let names = topics.map(\.topic)
        do throws(KafkaError) {
            let found = try await SettledTopics(limit: limit, timeout: limit).descriptions { left throws(KafkaError) in
                try await describe(names, left)
            } until: { found in
                topics.allSatisfy { lack($0, in: found) == nil }
            }
            let lacks = topics.compactMap { topic in
                lack(topic, in: found).map { (topic.topic, "created, but after \(limit): \($0)") }
            }
            return Dictionary(lacks, uniquingKeysWith: { first, _ in first })
        } catch {
            let reason = "created, but its leaders cannot be determined: \(error)"
            return Dictionary(names.map { ($0, reason) }, uniquingKeysWith: { first, _ in first })
        }
    }

    private static func lack(_ topic: KafkaNewTopic, in found: [KafkaTopicDescription]) -> String? {
        guard let description = found.first(where: { $0.topic == topic.topic }) else {
            return "not yet known to every broker"
        }
        let led = description.partitions.count { $0.leader != nil }
        return led < topic.partitions
            ? "\(topic.partitions - led) of \(topic.partitions) partitions have no leader" : nil
    }
}
