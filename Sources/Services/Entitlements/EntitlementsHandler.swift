internal import EntitlementRules
internal import Kafka
internal import NotificationRecord
internal import PipelineRuntime

/// Merges what notifications say into the state of their chains.
///
/// The effect is a join, so a record that comes again, late or out of order changes nothing that it should not.
enum EntitlementsHandler {
    static func handler(
        of state: KeyedState<EntitlementsModel>, topics: TopicNames, metrics: EntitlementsMetrics
    ) -> KeyedStateHandler<EntitlementsModel> {
        let environments = Dictionary(
            uniqueKeysWithValues: RecordEnvironment.allCases.map { (topics.input($0), $0) })
        return KeyedStateHandler(state) { record in
            reading(record, environments)
        } merged: { merged in
            metrics.merged(
                changed: merged.changed.count, late: merged.late,
                disagreements: merged.changed.count(where: \.statusDisagrees))
        }
    }

    static func reading(
        _ record: KafkaRecord, _ environments: [KafkaTopic: RecordEnvironment]
    ) -> StateReading<ChainFacts> {
        guard let environment = environments[record.topic] else {
            // Our bug, met gently: the pipeline was told to read a topic that this handler does not know.
            return .verdict(.deadLetter(HandlerReason(code: EntitlementsReason.unknownTopic)))
        }
        return FactsReading.read(record, environment: environment)
    }
}
