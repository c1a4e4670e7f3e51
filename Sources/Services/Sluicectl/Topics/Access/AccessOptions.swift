package import Kafka

/// The settings of other executables that determine their permissions.
package struct AccessOptions: Equatable, Sendable {
    /// One webhook receiver.
    package struct WebhookReceiver: Equatable, Sendable {
        /// The receiver's consumer group.
        package let group: String
        /// The input topics, from `webhooks.content` and `webhooks.environments`.
        package let inputs: [KafkaTopic]
        /// Whether notifications are rebuilt as posted by Apple, which requires permission to read the certificates.
        package let rebuilds: Bool

        package init(group: String, inputs: [KafkaTopic], rebuilds: Bool) {
            self.group = group
            self.inputs = inputs
            self.rebuilds = rebuilds
        }
    }

    /// The receivers of `sluice-webhooks`.
    package let webhookReceivers: [WebhookReceiver]
    /// The topics that `sluice-archive` reads, including those in `archive.dead.letter.topics`.
    package let archived: [KafkaTopic]
    /// Whether checkpoints are written to Kafka (`archive.anchor.kafka`).
    package let anchorsInKafka: Bool
    /// Whether `sluice-reconciler` publishes the subscription statuses returned by Apple
    /// (`reconciler.statuses.repair`).
    package let repairsStatuses: Bool
    /// Whether `sluice-entitlements` serves `/v1/story` (`entitlements.stories`).
    package let tellsStories: Bool
    /// Whether every executable publishes operator events (`operations.events`).
    package let publishesOperatorEvents: Bool

    package init(
        webhookReceivers: [WebhookReceiver], archived: [KafkaTopic], anchorsInKafka: Bool,
        repairsStatuses: Bool, tellsStories: Bool, publishesOperatorEvents: Bool
    ) {
        self.webhookReceivers = webhookReceivers
        self.archived = archived
        self.anchorsInKafka = anchorsInKafka
        self.repairsStatuses = repairsStatuses
        self.tellsStories = tellsStories
        self.publishesOperatorEvents = publishesOperatorEvents
    }
}
