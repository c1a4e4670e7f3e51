internal import AppStoreModel
internal import Configuration
internal import EntitlementRules
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Records
internal import Telemetry

/// Merges what notifications say into the state of their purchases.
///
/// The effect is a join, so a record that comes again, late or out of order changes nothing that it should not.
enum EntitlementsHandler {
    static func handler(
        of state: KeyedState<EntitlementsModel>, topics: TopicNames, metrics: EntitlementsMetrics,
        unconfirmed: @escaping @Sendable ([PurchaseFacts]) -> Void = { _ in }
    ) -> KeyedStateHandler<EntitlementsModel> {
        let environments = environments(topics)
        return KeyedStateHandler(state) { record in
            reading(record, environments)
        } merged: { merged in
            // By index: iterating would copy each.
            let changed = merged.changed
            metrics.merged(
                changed: changed.count, late: merged.late,
                disagreements: changed.indices.count { changed[$0].statusDisagrees })
            let waiting = changed.indices.filter { changed[$0].legacy != nil && changed[$0].hasUnsettledLegacy }
            if !waiting.isEmpty { unconfirmed(waiting.map { changed[$0] }) }
        }
    }

    /// Counts and logs what nothing can confirm.
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
            .warning, key: "unconfirmable", "a version 1 notification gives nothing: nothing can confirm it",
            [
                LogField(.bundleId, first.bundleId.rawValue),
                LogField(.setting, EntitlementsSettings.legacyTrust.key), LogField(.fix, LegacyTrustPlan.fix),
            ])
    }

    /// What the group has read, so that a start without any state is not taken for a beginning.
    static func history(of group: KafkaConsumerGroup, topics: TopicNames) -> StateHistory {
        let environments = environments(topics)
        return StateHistory(
            group: group,
            isKept: { record in
                if case .state = reading(record, environments) { true } else { false }
            },
            fix: "Give this member the database that it had; or stop every sluice-entitlements and run: sluicectl "
                + "entitlements rebuild --yes, after which the notifications that are still there are read again")
    }

    private static func environments(_ topics: TopicNames) -> [KafkaTopic: AppStoreEnvironment] {
        Dictionary(uniqueKeysWithValues: AppStoreEnvironment.published.map { (topics.input($0), $0) })
    }

    static func reading(
        _ record: KafkaRecord, _ environments: [KafkaTopic: AppStoreEnvironment]
    ) -> StateReading<PurchaseFacts> {
        guard let environment = environments[record.topic] else {
            // Our bug, met gently: the pipeline was told to read a topic that this handler does not know.
            return .verdict(.deadLetter(HandlerReason(code: EntitlementsReason.unknownTopic)))
        }
        return FactsReading.read(record, environment: environment)
    }
}
