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
    /// - Parameter webhooks: the consumer groups of the webhook receivers.
    static func all(_ names: TopicNames, _ configuration: Configuration, webhooks: [String]) -> [ClusterGroup] {
        let notifications = AppStoreEnvironment.published.map(names.notifications)
        let archived =
            notifications + [names.quarantine, names.certificates] + AppStoreEnvironment.published.map(names.refunds)
            + [names.erasures]
        return OperationsSettings.clusterGroups.flatMap { executable, setting in
            let isWebhooks = executable == TopicNames.webhooksGroup
            let inputs =
                switch executable {
                case TopicNames.webhooksGroup: AppStoreEnvironment.published.map(names.entitlements) + notifications
                case TopicNames.archiveGroup: archived
                default: notifications
                }
            return (isWebhooks ? webhooks : [configuration[setting]]).map { group in
                ClusterGroup(
                    executable: executable, group: KafkaConsumerGroup(rawValue: group), inputs: inputs,
                    mayStartByTime: isWebhooks)
            }
        }
    }
}
