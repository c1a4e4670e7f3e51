import AppStoreModel
import EntitlementRules
import Kafka
import PipelineRuntime
import Records
import SQLite
import TestSupport

@testable import Entitlements
@testable import KeyedState

/// The rows of entitlements without brokers. Publications are discarded.
struct RowsHarness: Sendable {
    let store: LocalState<EntitlementsModel>
    let model: EntitlementsModel
    /// The directory of a database that was created without a path.
    private let directory: TemporaryDirectory

    private static let inputs = TopicNames.environments(of: TopicNames().input)

    /// - Parameters:
    ///   - path: path of the database; nil creates a temporary one.
    ///   - partitions: number of partitions of every topic.
    ///   - input: reading progress of the input; nil for fully read.
    init(
        path: String? = nil, rules: ProductRules = ProductRules(), partitions: Int32 = 1,
        input: InputFreshness? = nil
    ) throws {
        model = EntitlementsModel(rules: rules, topics: TopicNames(), input: input)
        directory = try TemporaryDirectory()
        store = try LocalState(
            path: path ?? directory.database, model: model, topics: Array(model.environments.keys),
            partitions: partitions)
    }

    /// Handles records as the handler does: merges the facts, and returns a verdict for each record.
    @discardableResult func handle(_ records: [KafkaRecord], at now: Int64 = 0) throws -> [HandlerVerdict] {
        var facts: [KafkaTopic: [PurchaseFacts]] = [:]
        let verdicts = records.map { record -> HandlerVerdict in
            switch EntitlementsHandler.reading(record, Self.inputs) {
            case .verdict(let verdict): return verdict
            case .state(let read):
                facts[TopicNames().state(read.environment), default: []].append(read)
                return .done
            }
        }
        for (topic, facts) in facts { try store.merge(facts, in: topic, at: now) }
        return verdicts
    }

    func merge(_ facts: [PurchaseFacts], at now: Int64 = 0) throws {
        for (environment, facts) in Dictionary(grouping: facts, by: \.environment) {
            try store.merge(facts, in: TopicNames().state(environment), at: now)
        }
    }

    /// Returns the stored rows as JSON texts, sorted.
    func dump() throws -> [String] {
        try store.states().map { String(decoding: $0.jsonText, as: UTF8.self) }.sorted()
    }
}
