internal import AppStoreModel
internal import Configuration
internal import Kafka
internal import Records

/// A consumer group of the installation, and the topics for which it may have offsets.
struct ClusterGroup {
    let executable: String
    let group: KafkaConsumerGroup
    let inputs: [KafkaTopic]
    /// Whether the group may resume by time. Only a group that merely forwards records may, not a group that computes a
    /// state or archives records.
    let mayStartByTime: Bool

    /// Returns the groups of all executables.
    ///
    /// - Parameter options: the webhook receivers, each with a group, and the topics that the archive reads; nil if
    ///   unknown.
    static func all(
        _ names: TopicNames, _ configuration: Configuration, _ options: AccessOptions?
    ) -> [ClusterGroup] {
        let notifications = AppStoreEnvironment.published.map(names.notifications)
        let forwarded = AppStoreEnvironment.published.map(names.entitlements) + notifications
        let archived =
            notifications + [names.quarantine, names.certificates] + AppStoreEnvironment.published.map(names.refunds)
            + [names.erasures]
        return OperationsSettings.clusterGroups.flatMap { executable, setting -> [ClusterGroup] in
            func group(_ name: String, _ inputs: [KafkaTopic], _ further: [KafkaTopic] = []) -> ClusterGroup {
                ClusterGroup(
                    executable: executable, group: KafkaConsumerGroup(rawValue: name),
                    inputs: inputs + further.filter { !inputs.contains($0) },
                    mayStartByTime: executable == TopicNames.webhooksGroup)
            }
            switch executable {
            case TopicNames.webhooksGroup:
                // A receiver may have read other topics before its content was changed.
                return (options?.webhookReceivers ?? []).map { group($0.group, forwarded, $0.inputs) }
            case TopicNames.archiveGroup: return [group(configuration[setting], archived, options?.archived ?? [])]
            default: return [group(configuration[setting], notifications)]
            }
        }
    }
}
