import AppStoreModel
import Foundation
import Kafka
import Simulator
import TestSupport
import Testing

/// Complete histories of many purchases, as notifications. A third of the purchases migrate, so their rows affect one
/// another. One notification in five is delivered twice, one in seven after its successor.
struct StormNotifications {
    /// Records in delivery order.
    let delivered: [KafkaProducerRecord]
    /// Each record once, in signing order.
    let signed: [KafkaProducerRecord]
    /// Keys of purchases that continue another purchase.
    let successors: Set<String>

    init(runs: Int, seed: UInt64, to topic: KafkaTopic) throws {
        let app = SimulatedApp(
            bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890), environment: .production)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let usual = RecordLoad.scenarios(of: app, now)
        let migration = try #require(Scenario.named("advanced-commerce"))
        let migrations = Array(repeating: migration, count: usual.count / 2)
        let series = try #require(
            ScenarioSeries(scenarios: usual + migrations, app: app, seed: seed, endingAt: now))
        let first = Int(seed) * 100_000
        let plan = PostingPlan(
            series: series, firstRun: first, runs: runs, duplicates: try #require(Percentage(text: "20")),
            disorder: try #require(Percentage(text: "15")), concurrentRuns: 40)
        let told = Dictionary(uniqueKeysWithValues: (first..<first + runs).map { ($0, series.notifications(of: $0)) })
        delivered = plan.compactMap { post in
            told[post.run].flatMap { $0.indices.contains(post.step) ? $0[post.step].record(in: topic) : nil }
        }
        let all = told.sorted { $0.key < $1.key }.flatMap(\.value).sorted { $0.signedDate < $1.signedDate }
        signed = all.map { $0.record(in: topic) }
        successors = Set(
            all.filter { String(decoding: $0.transaction ?? [], as: UTF8.self).contains("previousOriginal") }
                .map { "\($0.bundleId.rawValue)/\($0.subject)" })
    }

    /// Writes the records in order at a steady rate, and returns when all are acknowledged.
    func deliver(to broker: Broker, within time: Duration) async throws {
        let topics = Array(Set(delivered.map(\.topic)))
        let producer = try KafkaProducer(broker.configuration, topics: topics)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for (number, record) in delivered.enumerated() {
                await pass(time * number / delivered.count, since: start)
                try Task.checkCancellation()
                group.addTask { _ = try await producer.send(record, deadline: .seconds(60)) }
            }
            try await group.waitForAll()
        }
        await producer.close(within: .seconds(5))
    }
}
