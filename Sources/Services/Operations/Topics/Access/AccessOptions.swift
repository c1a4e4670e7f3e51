package import Kafka

/// The settings of other executables on which their rights depend.
package struct AccessOptions: Equatable, Sendable {
    /// Topics that `sluice-webhooks` reads: those of `webhooks.content` and `webhooks.environments`.
    package let webhookInputs: [KafkaTopic]
    /// Whether `sluice-webhooks` rebuilds what Apple posted, for which it reads the certificates.
    package let rebuildsWebhooks: Bool
    /// Topics that `sluice-archive` reads, with those of `archive.dead.letter.topics`.
    package let archived: [KafkaTopic]
    /// Whether checkpoints are written to Kafka: `archive.anchor.kafka`.
    package let anchorsInKafka: Bool
    /// Whether `sluice-reconciler` publishes what Apple says of subscriptions: `reconciler.statuses.repair`.
    package let repairsStatuses: Bool

    package init(
        webhookInputs: [KafkaTopic], rebuildsWebhooks: Bool, archived: [KafkaTopic], anchorsInKafka: Bool,
        repairsStatuses: Bool
    ) {
        self.webhookInputs = webhookInputs
        self.rebuildsWebhooks = rebuildsWebhooks
        self.archived = archived
        self.anchorsInKafka = anchorsInKafka
        self.repairsStatuses = repairsStatuses
    }
}
