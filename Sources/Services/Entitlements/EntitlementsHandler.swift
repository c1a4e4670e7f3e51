internal import AppStoreModel
internal import Configuration
internal import EntitlementRules
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Records
internal import Telemetry

/// Merges the facts in notifications into the state of their purchases.
///
/// The merge is a join, so repeated, late and out-of-order records are harmless.
enum EntitlementsHandler {
    static func handler(
        of state: KeyedState<EntitlementsModel>, topics: TopicNames, metrics: EntitlementsMetrics,
        unconfirmed: @escaping @Sendable ([PurchaseFacts]) -> Void = { _ in }
    ) -> KeyedStateHandler<EntitlementsModel> {
        let environments = TopicNames.environments(of: topics.input)
        return KeyedStateHandler(state) { record in
            reading(record, environments)
        } merged: { merged in
            // Access elements by index, because iteration copies each one.
            let changed = merged.changed
            metrics.merged(
                changed: changed.count, late: merged.late,
                disagreements: changed.indices.count { changed[$0].statusDisagrees })
            let waiting = changed.indices.filter { changed[$0].legacy != nil && changed[$0].hasUnsettledLegacy }
            if !waiting.isEmpty { unconfirmed(waiting.map { changed[$0] }) }
        }
    }

    /// Counts and logs notifications that cannot be confirmed because their app has no App Store Server API key.
    static func notice(
        _ purchases: [PurchaseFacts], _ model: EntitlementsModel, _ metrics: ConfirmationMetrics,
        _ log: RateLimitedLogger
    ) {
        let unconfirmable = purchases.filter {
            $0.awaitsConfirmation(model.rules.legacyTrust) && !model.confirmedApps.contains($0.bundleId)
        }
        guard let first = unconfirmable.first else { return }
        metrics.unconfirmable(unconfirmable.count)
        log.log(
            .warning, key: "unconfirmable",
            "version 1 notification grants nothing: its app has no App Store Server API key to confirm it with",
            [
                LogField(.bundleId, first.bundleId.rawValue),
                LogField(.setting, EntitlementsSettings.legacyTrust.key), LogField(.fix, LegacyTrustPlan.fix),
            ])
    }

    /// Returns a description of the group's earlier input, so that a start with lost state is not mistaken for a first
    /// start.
    static func history(of group: KafkaConsumerGroup, topics: TopicNames) -> StateHistory {
        let environments = TopicNames.environments(of: topics.input)
        return StateHistory(
            group: group,
            isKept: { record in
                if case .state = reading(record, environments) { true } else { false }
            },
            fix: "Restore this member's database; or stop all sluice-entitlements processes and run sluicectl "
                + "entitlements rebuild --yes, after which the retained notifications are read again")
    }

    static func reading(
        _ record: KafkaRecord, _ environments: [KafkaTopic: AppStoreEnvironment]
    ) -> StateReading<PurchaseFacts> {
        guard let environment = environments[record.topic] else {
            // Programming error: a topic unknown to this handler. Dead-letter this record instead of crashing.
            return .verdict(.deadLetter(HandlerReason(code: EntitlementsReason.unknownTopic)))
        }
        return FactsReading.read(record, environment: environment)
    }
}
