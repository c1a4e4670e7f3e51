internal import Kafka

/// Creates topics, and omits optional settings that the cluster rejects: some brokers do not support all settings, and
/// a policy for new topics may allow only some of them.
enum TopicCreation {
    struct Outcome: Equatable {
        /// Topics that could not be created.
        var failures: [KafkaTopic: KafkaError] = [:]
        /// The names of the settings that each created topic lacks because the cluster rejected them.
        var omitted: [KafkaTopic: [String]] = [:]
    }

    /// Settings that may be left at the cluster's defaults, although this makes the topic less safe. Retention, cleanup
    /// policy and maximum record size are not optional.
    static let optional: [KafkaTopicFinding.Subject] =
        dispensable + [.deleteRetention, .minInSyncReplicas, .uncleanLeaderElection]

    /// The optional settings that do not affect durability. If the cluster's reason does not name a setting, only these
    /// are omitted.
    private static let dispensable: [KafkaTopicFinding.Subject] = [
        .timestampType, .compactionLag, .maxCompactionLag, .segment,
    ]

    /// - Parameter create: creates topics, and returns the rejected topics with the reasons.
    static func create(
        _ topics: [KafkaNewTopic], by create: ([KafkaNewTopic]) async throws(KafkaError) -> [KafkaTopic: KafkaError]
    ) async throws(KafkaError) -> Outcome {
        var outcome = Outcome()
        var pending = topics
        while !pending.isEmpty {
            let refusals = try await create(pending)
            var reduced: [KafkaNewTopic] = []
            for topic in pending {
                guard let refusal = refusals[topic.topic] else { continue }
                let refused = settings(refusedBy: refusal, of: topic)
                if refused.isEmpty {
                    outcome.failures[topic.topic] = refusal
                    outcome.omitted[topic.topic] = nil
                } else {
                    outcome.omitted[topic.topic, default: []] += refused
                    reduced.append(topic.without(refused))
                }
            }
            // Every remaining topic has fewer settings than before, so the loop ends.
            pending = reduced
        }
        return outcome
    }

    /// Returns the settings to omit next: the settings named in the reason, otherwise the dispensable ones.
    private static func settings(refusedBy refusal: KafkaError, of topic: KafkaNewTopic) -> [String] {
        guard refusal.code == .invalidTopicSetting || refusal.code == .policyViolation else { return [] }
        func present(_ settings: [KafkaTopicFinding.Subject]) -> [String] {
            settings.map(\.rawValue).filter { topic.configuration[$0] != nil }
        }
        let words = refusal.message.split { !($0.isLetter || $0.isNumber || $0 == "." || $0 == "_" || $0 == "-") }
            .map { $0.hasSuffix(".") ? String($0.dropLast()) : String($0) }
        let named = present(optional).filter(words.contains)
        return named.isEmpty ? present(dispensable) : named
    }
}

extension KafkaNewTopic {
    fileprivate func without(_ settings: [String]) -> KafkaNewTopic {
        KafkaNewTopic(
            topic: topic, partitions: partitions, replicationFactor: replicationFactor,
            configuration: configuration.filter { !settings.contains($0.key) })
    }
}
