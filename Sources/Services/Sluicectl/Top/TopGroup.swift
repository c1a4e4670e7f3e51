internal import Kafka

/// The lag of a consumer group on one topic.
struct TopGroup: Sendable, Equatable {
    let group: KafkaConsumerGroup
    let topic: KafkaTopic
    /// The group's state according to the brokers, or nil if they do not report it.
    let state: String?
    /// The number of records after the committed offset, by partition.
    let lags: [KafkaPartition: Int64]

    var lag: Int64 { lags.values.reduce(0) { $0.addingReportingOverflow($1).partialValue } }

    /// The partition with the highest lag, or nil if no partition lags.
    var worst: (partition: KafkaPartition, lag: Int64)? {
        lags.filter { $0.value > 0 }.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
    }
}

/// The groups of an installation.
struct TopGroups: Sendable, Equatable {
    var groups: [TopGroup] = []
    /// The groups' topics that this user may not describe, sorted by name. The groups' lags in them are unknown.
    var deniedTopics: [KafkaTopic] = []

    /// Reads the groups' lags. Omits groups without committed offsets and topics that do not exist.
    static func all(
        _ groups: [ClusterGroup], isEmbedded: Bool, _ admin: KafkaAdmin, within limit: Duration
    ) async throws(KafkaError) -> TopGroups {
        let states =
            isEmbedded
            ? [:]
            : Dictionary(
                try await admin.consumerGroups(within: limit).map { ($0.group, $0.state) },
                uniquingKeysWith: { first, _ in first })
        var ends: [KafkaTopic: [KafkaTopicPartition: KafkaWatermarks]] = [:]
        var denied: [KafkaTopic] = []
        for topic in Set(groups.flatMap(\.inputs)) {
            do {
                ends[topic] = try await admin.watermarks(of: topic, within: limit)
            } catch {
                switch error.code {
                case .unknownTopic: break
                case .topicAuthorizationFailed: denied.append(topic)
                default: throw error
                }
            }
        }
        var lags: [TopGroup] = []
        for group in groups where isEmbedded || states[group.group] != nil {
            let places = group.inputs.flatMap { ends[$0].map { Array($0.keys) } ?? [] }
            let committed = try await admin.committedOffsets(of: group.group, partitions: places, within: limit)
            for topic in group.inputs {
                guard let ends = ends[topic], committed.keys.contains(where: { $0.topic == topic }) else { continue }
                let lag = ends.map { place, end in
                    let next = max(committed[place]?.rawValue ?? 0, end.low.rawValue)
                    return (place.partition, max(0, end.high.rawValue - next))
                }
                lags.append(
                    TopGroup(
                        group: group.group, topic: topic, state: states[group.group],
                        lags: Dictionary(lag, uniquingKeysWith: { first, _ in first })))
            }
        }
        return TopGroups(groups: lags, deniedTopics: denied.sorted { $0.rawValue < $1.rawValue })
    }
}
