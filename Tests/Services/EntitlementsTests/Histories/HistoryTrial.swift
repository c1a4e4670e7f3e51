import AppStoreModel
import EntitlementRules
import Kafka
import PipelineRuntime
import Records
import TestSupport

@testable import Entitlements
@testable import KeyedState

/// Generated histories, merged into the store in any order, number and partition, and compared with the oracle.
struct HistoryTrial {
    /// The compared data: each purchase's row as stored.
    typealias Dump = [String: [UInt8]]

    let histories: [[HistoryEntry]]
    /// The facts of each notification, parsed once from its record, as the handler does.
    let facts: [[PurchaseFacts]]
    let model: EntitlementsModel
    private let topic = TopicNames().state(.production)

    /// - Parameter trust: trust of the records.
    init(
        count: Int, random: some RandomNumberGenerator, trust: String = "signed", rules: ProductRules = ProductRules()
    ) throws {
        model = EntitlementsModel(rules: rules, topics: TopicNames())
        var generator = HistoryGenerator(random)
        histories = (0..<count).map { generator.history("\(2_000_000 + $0)") }
        facts = try histories.map { history in
            try history.map { told in
                switch FactsReading.read(told.record(partition: 0, trust: trust), environment: .production) {
                case .state(let facts): return facts
                case .verdict(let verdict): throw Unread(verdict: verdict)
                }
            }
        }
    }

    struct Unread: Error {
        let verdict: HandlerVerdict
    }

    /// Merges all notifications in random order, some of them several times.
    ///
    /// - Parameters:
    ///   - copies: maximum number of copies of each notification.
    ///   - partitions: number of partitions of the topics; each is read separately, a batch at a time.
    func dump(copies: Int, partitions: Int32, random: inout some RandomNumberGenerator) throws -> Dump {
        let directory = try TemporaryDirectory()
        let store = try LocalState(
            path: directory.file("state"), model: model, topics: [topic], partitions: partitions)
        var queues: [[PurchaseFacts]] = Array(repeating: [], count: Int(partitions))
        for history in facts {
            for fact in history {
                let partition = Int(KafkaPartition(ofKey: model.key(of: fact), partitions: partitions).rawValue)
                let count = Int.random(in: 1...copies, using: &random)
                queues[partition] += Array(repeating: fact, count: count)
            }
        }
        for index in queues.indices { queues[index].shuffle(using: &random) }
        while let index = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &random) {
            let size = min(queues[index].count, Int.random(in: 1...500, using: &random))
            let batch = Array(queues[index].suffix(size))
            queues[index].removeLast(size)
            try store.merge(batch, in: topic, at: 0)
        }
        defer { store.close() }
        return Dictionary(
            uniqueKeysWithValues: try store.states().map { ($0.originalTransactionId.rawValue, $0.jsonText) })
    }

    /// Returns one line for each difference between a dump and the oracle.
    func disagreements(_ dump: Dump) throws -> [String] {
        var lines: [String] = []
        for history in histories {
            guard let first = history.first, let last = history.last else { continue }
            guard let row = dump[first.purchase] else {
                lines.append("\(first.purchase): no row")
                continue
            }
            let purchase = try PurchaseFacts(json: row)
            let oracle = HistoryOracle(history)
            if purchase.appAccountToken?.rawValue != oracle.account { lines.append("\(first.purchase): account") }
            let span = last.signed - first.signed + 120 * 86_400_000
            for part in Int64(0)...12 {
                let moment = first.signed + span * part / 12
                let (found, expected) = (line(purchase, at: moment), oracle.line(at: moment))
                if found != expected { lines.append("\(first.purchase) at \(moment): \(found), expected \(expected)") }
            }
        }
        return lines
    }

    private func line(_ purchase: PurchaseFacts, at moment: Int64) -> String {
        let answer = EntitlementAnswer(
            purchases: [purchase], environment: .production, at: AppStoreInstant(clampingMillisecondsSince1970: moment),
            rules: model.rules)
        if let balance = answer.balances.first { return "units \(balance.creditedUnits) - \(balance.debitedUnits)" }
        guard let grant = answer.grants.first else { return "none" }
        return "\(grant.state) \(grant.isEntitled) \(grant.productId)"
    }
}
