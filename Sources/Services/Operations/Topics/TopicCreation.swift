internal import Kafka

/// Creates topics, without optional settings where a cluster refuses these: some brokers do not know all of them, and a
/// policy for new topics may allow only some.
enum TopicCreation {
    struct Outcome: Equatable {
        /// Topics that were not created.
        var failures: [KafkaTopic: KafkaError] = [:]
        /// Settings that a created topic lacks, because the cluster refused them, by name.
        var omitted: [KafkaTopic: [String]] = [:]
    }

    /// Settings without which a topic works, if less safely: the cluster's defaults hold instead. How long records are
    /// kept, how they are cleaned up and how large they may be is not among them.
    static let optional: [KafkaTopicFinding.Subject] =
        dispensable + [.deleteRetention, .minInSyncReplicas, .uncleanLeaderElection]

    /// Of these, the settings without which no record can be lost. Where the reason names none, they alone are left out.
    private static let dispensable: [KafkaTopicFinding.Subject] = [
        .timestampType, .compactionLag, .maxCompactionLag, .segment,
    ]

    /// - Parameter create: creates topics; returns the topics that were refused, with the reason.
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
            // Each has fewer settings than before.
            pending = reduced
        }
        return outcome
    }

    /// The settings to try without: those that the reason names, or the dispensable ones where it names none.
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
