import AppStoreModel
import Foundation
import Kafka
import Records
import Simulator
import Synchronization
import TestSupport
import Testing

/// Notifications of many purchases, written to the notification topic in place of an ingress, at a steady rate until
/// stopped. One in seven is written twice, and one in twenty after its successor. Each is retried until Kafka
/// acknowledges it.
final class RecordLoad: Sendable {
    private struct State {
        var plan: PostingPlan
        var told = PostedNotifications()
        var oracle = StateOracle()
        var written = 0
        var repeats = 0
        var abandoned = 0
        var isStopped = false
    }

    private let state: Mutex<State>
    private let series: ScenarioSeries
    private let broker: Broker
    private let topic: KafkaTopic
    private let perSecond: Int

    /// - Parameter seed: a different seed creates different notifications.
    init(to broker: Broker, perSecond: Int, seed: UInt64 = 1) throws {
        let app = SimulatedApp(
            bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890), environment: .production)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        series = try #require(
            ScenarioSeries(scenarios: Self.scenarios(of: app, now), app: app, seed: seed, endingAt: now))
        self.broker = broker
        self.perSecond = perSecond
        topic = broker.notifications(.production)
        // More than any run writes.
        let plan = PostingPlan(
            series: series, count: 1_000_000, duplicates: try #require(Percentage(text: "15")),
            disorder: try #require(Percentage(text: "5")), concurrentRuns: 200)
        state = Mutex(State(plan: plan))
    }

    /// Returns the scenarios whose notifications belong to one purchase each and are few enough for its history to keep
    /// all of them.
    static func scenarios(of app: SimulatedApp, _ now: Int64) -> [Scenario] {
        Scenario.all.filter { scenario in
            let run =
                ScenarioSeries(scenarios: [scenario], app: app, seed: 1, endingAt: now)?.notifications(of: 0) ?? []
            let purchases = Set(run.map { $0.transaction == nil ? nil : $0.originalTransactionId })
            let migrates = run.contains {
                String(decoding: $0.transaction ?? [], as: UTF8.self).contains("previousOriginalTransactionId")
            }
            return purchases.count == 1 && purchases != [nil] && run.count <= 12 && !migrates
        }
    }

    /// Number of acknowledged records, including copies.
    var written: Int { state.withLock { $0.written } }
    /// Number of retried writes.
    var repeats: Int { state.withLock { $0.repeats } }
    /// Number of records that Kafka did not acknowledge within two minutes. They may or may not exist.
    var abandoned: Int { state.withLock { $0.abandoned } }
    /// The state expected from the acknowledged records.
    var oracle: StateOracle { state.withLock { $0.oracle } }

    /// Writes until `body` returns, and then until everything is acknowledged. May be called again to continue.
    func run(while body: () async throws -> Void) async throws {
        let producer = try KafkaProducer(broker.configuration, topics: [topic])
        state.withLock { $0.isStopped = false }
        async let writing: Void = write(with: producer)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        state.withLock { $0.isStopped = true }
        await writing
        await producer.close(within: .seconds(5))
        try outcome.get()
    }

    /// Waits until this number of additional records is acknowledged.
    func wait(for more: Int, within limit: Duration = .seconds(60)) async throws {
        let before = written
        try await waitUntil(within: limit) { written >= before + more }
    }

    private func write(with producer: KafkaProducer) async {
        let start = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            var number = 0
            while let notification = next() {
                await pass(.seconds(1) * number / perSecond, since: start)
                group.addTask { await self.write(notification, with: producer) }
                number += 1
            }
        }
    }

    private func next() -> UnsignedNotification? {
        let isCancelled = Task.isCancelled
        return state.withLock { state in
            guard !state.isStopped, !isCancelled, let post = state.plan.next() else { return nil }
            return state.told.notification(of: post, in: series)
        }
    }

    private func write(_ notification: UnsignedNotification, with producer: KafkaProducer) async {
        let record = notification.record(in: topic)
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end, !Task.isCancelled {
            if (try? await producer.send(record, deadline: .seconds(20))) != nil {
                return state.withLock { state in
                    state.written += 1
                    state.oracle.take(notification)
                }
            }
            state.withLock { $0.repeats += 1 }
            await pass(.milliseconds(100))
        }
        state.withLock { $0.abandoned += 1 }
    }
}

/// The notifications of active runs, each generated once.
private struct PostedNotifications {
    private static let most = 1000
    private var runs: [Int: [UnsignedNotification]] = [:]

    mutating func notification(of post: PlannedPost, in series: ScenarioSeries) -> UnsignedNotification? {
        if runs[post.run] == nil {
            if runs.count >= Self.most, let oldest = runs.keys.min() { runs[oldest] = nil }
            runs[post.run] = series.notifications(of: post.run)
        }
        return runs[post.run].flatMap { post.step < $0.count ? $0[post.step] : nil }
    }
}

extension UnsignedNotification {
    var bundleId: BundleId { BundleId("com.example.app") }

    /// Returns the record as the ingress writes it, without the signed parts.
    func record(in topic: KafkaTopic) -> KafkaProducerRecord {
        KafkaProducerRecord(
            RecordIdentity(
                notificationUUID: notificationUUID, notificationType: notificationType, subtype: subtype,
                environment: .production, bundleId: bundleId,
                signedDate: AppStoreInstant(clampingMillisecondsSince1970: signedDate),
                originalTransactionId: originalTransactionId),
            to: topic,
            content: RecordContent(
                notification: unsigned, transaction: transaction, renewalInfo: renewalInfo,
                appTransaction: appTransaction),
            receivedAt: AppStoreInstant(clampingMillisecondsSince1970: signedDate + 1000))
    }

    /// The payload without the separately signed objects.
    var unsigned: [UInt8] {
        payload(signedTransactionInfo: nil, signedRenewalInfo: nil, signedAppTransactionInfo: nil)
    }
}
