internal import AppStoreModel
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records

/// The consumer group that keeps a state, and the topic that it computes it from.
struct StateGroup {
    let group: KafkaConsumerGroup
    /// Nil for a group of somebody's own, whose input is not known.
    let input: KafkaTopic?

    /// - Returns: nil for a topic that no group of Sluice keeps, where no group is named.
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

    /// Records of the input that the group has not handled.
    func unread(_ admin: KafkaAdmin) async throws(KafkaError) -> Int64 {
        guard let input else { return 0 }
        let ends = try await admin.watermarks(of: input)
        let committed = try await admin.committedOffsets(of: group, partitions: Array(ends.keys))
        return ends.reduce(0) { count, place in
            let next = max(committed[place.key]?.rawValue ?? 0, place.value.low.rawValue)
            return count + max(0, place.value.high.rawValue - next)
        }
    }

    /// Whether the group has members, as far as the brokers tell: the embedded one does not.
    func hasMembers(_ admin: KafkaAdmin) async throws(KafkaError) -> Bool {
        try await admin.consumerGroups().contains { $0.group == group && !["Empty", "Dead"].contains($0.state) }
    }
}
