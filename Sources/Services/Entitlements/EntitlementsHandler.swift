internal import AppStoreModel
internal import EntitlementRules
package import Kafka
internal import NotificationRecord
package import PipelineRuntime
internal import Telemetry

/// Merges what notifications say into the state of their chains: one transaction for a batch.
///
/// The effect is a join, so a record that comes again, late or out of order changes nothing that it should not.
package struct EntitlementsHandler: BatchHandler {
    private let store: EntitlementsStore
    private let environments: [KafkaTopic: RecordEnvironment]
    private let metrics: EntitlementsMetrics

    init(store: EntitlementsStore, topics: TopicNames, metrics: EntitlementsMetrics) {
        self.store = store
        self.metrics = metrics
        environments = Dictionary(
            uniqueKeysWithValues: RecordEnvironment.allCases.map { environment in
                (KafkaTopic(rawValue: topics.notifications(environment).rawValue), environment)
            })
    }

    /// - Throws: ``EntitlementsStoreError``, an infrastructure fault: the batch is handed over again.
    package func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        var verdicts: [HandlerVerdict] = []
        verdicts.reserveCapacity(records.count)
        var facts: [ChainFacts] = []
        for record in records {
            guard let environment = environments[record.topic] else {
                // Our bug, met gently: the pipeline was told to read a topic that this handler does not know.
                verdicts.append(.deadLetter(HandlerReason(code: EntitlementsReason.unknownTopic)))
                continue
            }
            switch FactsReading(record, environment: environment) {
            case .facts(let read):
                facts.append(read)
                verdicts.append(.done)
            case .verdict(let verdict): verdicts.append(verdict)
            }
        }
        metrics.merged(try store.merge(facts))
        return verdicts
    }
}
