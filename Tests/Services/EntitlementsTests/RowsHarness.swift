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
    let store: StateStore<EntitlementsModel>
    let model: EntitlementsModel

    private static let inputs = Dictionary(
        uniqueKeysWithValues: AppStoreEnvironment.published.map { (TopicNames().input($0), $0) })

    /// - Parameters:
    ///   - path: nil for a database in memory.
    ///   - partitions: of every topic.
    init(path: String? = nil, rules: ProductRules = ProductRules(), partitions: Int32 = 1) throws {
        model = EntitlementsModel(rules: rules, topics: TopicNames())
        store = try StateStore(path.map { try Database(path: $0) } ?? .inMemory(), model: model) { _ in
            StatePublisher.Group(count: 0)
        }
        for topic in model.environments.keys { store.learn(Int(partitions), of: topic) }
    }

    /// As the handler does it: a verdict for each record, and the facts merged.
    @discardableResult func handle(_ records: [KafkaRecord], at now: Int64 = 0) throws -> [HandlerVerdict] {
        var facts: [KafkaTopicPartition: [PurchaseFacts]] = [:]
        let verdicts = records.map { record -> HandlerVerdict in
            switch EntitlementsHandler.reading(record, Self.inputs) {
            case .verdict(let verdict): return verdict
            case .state(let read):
                let topic = read.environment
                let place = KafkaTopicPartition(topic: TopicNames().state(topic), partition: record.partition)
                facts[place, default: []].append(read)
                return .done
            }
        }
        for (place, facts) in facts { _ = try store.merge(facts, in: place, at: now) }
        return verdicts
    }

    func merge(_ facts: [PurchaseFacts], at now: Int64 = 0) throws {
        for (environment, facts) in Dictionary(grouping: facts, by: \.environment) {
            let place = KafkaTopicPartition(topic: TopicNames().state(environment), partition: 0)
            _ = try store.merge(facts, in: place, at: now)
        }
    }

    /// The rows by key and environment.
    func dump() throws -> [String] {
        try store.states().map { String(decoding: $0.jsonText, as: UTF8.self) }.sorted()
    }
}
