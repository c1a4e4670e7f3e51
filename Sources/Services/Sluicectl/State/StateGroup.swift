internal import AppStoreModel
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records

/// The consumer group that maintains a state, and the state's input topic.
struct StateGroup {
    let group: KafkaConsumerGroup
    /// The input topic, or nil for a custom group, whose input is unknown.
    let input: KafkaTopic?

    /// - Returns: a group, or nil if no group is configured and none of Sluice's groups maintains any of the topics.
    init?(of topics: [KafkaTopic], _ names: TopicNames, _ configuration: Configuration) {
        if let name = configuration[OperationsSettings.stateGroup] {
            group = KafkaConsumerGroup(rawValue: name)
            input = nil
            return
        }
        for environment in AppStoreEnvironment.published {
            let states = [
                names.entitlements(environment): "sluice-entitlements", names.refunds(environment): "sluice-refunds",
                names.reconciliation(environment): "sluice-reconciler",
            ]
            for topic in topics {
                guard let executable = states[topic],
                    let setting = OperationsSettings.clusterGroups.first(where: { $0.executable == executable })?
                        .setting
                else { continue }
                group = KafkaConsumerGroup(rawValue: configuration[setting])
                input = names.notifications(environment)
                return
            }
        }
        return nil
    }

    /// Returns the number of input records that the group has not handled yet, or 0 if the input is unknown.
    func unread(_ admin: KafkaAdmin) async throws(KafkaError) -> Int64 {
        guard let input else { return 0 }
        let ends = try await admin.watermarks(of: input)
        let committed = try await admin.committedOffsets(of: group, partitions: Array(ends.keys))
        return ends.reduce(0) { count, place in
            let next = max(committed[place.key]?.rawValue ?? 0, place.value.low.rawValue)
            return count + max(0, place.value.high.rawValue - next)
        }
    }

    /// Returns whether the brokers report members of the group; the embedded broker never does.
    func hasMembers(_ admin: KafkaAdmin) async throws(KafkaError) -> Bool {
        try await admin.consumerGroups().contains { $0.group == group && !["Empty", "Dead"].contains($0.state) }
    }
}
