package import Kafka

/// The settings of other executables on which their rights depend.
package struct AccessOptions: Equatable, Sendable {
    /// One receiver of webhooks.
    package struct WebhookReceiver: Equatable, Sendable {
        /// Its consumer group.
        package let group: String
        /// The topics that are read: those of `webhooks.content` and `webhooks.environments`.
        package let inputs: [KafkaTopic]
        /// Whether notifications are rebuilt as Apple posted them, for which the certificates are read.
        package let rebuilds: Bool

        package init(group: String, inputs: [KafkaTopic], rebuilds: Bool) {
            self.group = group
            self.inputs = inputs
            self.rebuilds = rebuilds
        }
    }

    /// The receivers of `sluice-webhooks`.
    package let webhookReceivers: [WebhookReceiver]
    /// Topics that `sluice-archive` reads, with those of `archive.dead.letter.topics`.
    package let archived: [KafkaTopic]
    /// Whether checkpoints are written to Kafka: `archive.anchor.kafka`.
    package let anchorsInKafka: Bool
    /// Whether `sluice-reconciler` publishes what Apple says of subscriptions: `reconciler.statuses.repair`.
    package let repairsStatuses: Bool

    package init(
        webhookReceivers: [WebhookReceiver], archived: [KafkaTopic], anchorsInKafka: Bool,
        repairsStatuses: Bool
    ) {
        self.webhookReceivers = webhookReceivers
        self.archived = archived
        self.anchorsInKafka = anchorsInKafka
        self.repairsStatuses = repairsStatuses
    }
}
