import AppStoreModel
import EntitlementRules
import Kafka
import PipelineRuntime
import Records
import SQLite
import TestSupport

@testable import Entitlements
@testable import KeyedState

/// The rows of entitlements without brokers: what would be published is thrown away.
struct RowsHarness: Sendable {
    let store: LocalState<EntitlementsModel>
    let model: EntitlementsModel
    /// Of a database that no test names.
    private let directory: TemporaryDirectory

    private static let inputs = Dictionary(
        uniqueKeysWithValues: AppStoreEnvironment.published.map { (TopicNames().input($0), $0) })

    /// - Parameters:
    ///   - path: of the database; nil for one that goes with this.
    ///   - partitions: of every topic.
    ///   - input: how far the input was read; nil: all of it.
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

    /// As the handler does it: a verdict for each record, and the facts merged.
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

    /// The rows by key and environment.
    func dump() throws -> [String] {
        try store.states().map { String(decoding: $0.jsonText, as: UTF8.self) }.sorted()
    }
}
