internal import AppStoreModel
internal import EntitlementRules
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Records

/// Merges what notifications say into the state of their purchases.
///
/// The effect is a join, so a record that comes again, late or out of order changes nothing that it should not.
enum EntitlementsHandler {
    static func handler(
        of state: KeyedState<EntitlementsModel>, topics: TopicNames, metrics: EntitlementsMetrics
    ) -> KeyedStateHandler<EntitlementsModel> {
        let environments = environments(topics)
        return KeyedStateHandler(state) { record in
            reading(record, environments)
        } merged: { merged in
            metrics.merged(
                changed: merged.changed.count, late: merged.late,
                disagreements: merged.changed.count(where: \.statusDisagrees))
        }
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
