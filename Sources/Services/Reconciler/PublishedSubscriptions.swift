internal import AppStoreModel
internal import Kafka
internal import Reconciliation
internal import Records
internal import Synchronization
internal import Time

/// The subscriptions in the entitlements topics that version 1 notifications are about. A topic is read once for all apps:
/// their comparisons run one after another, and each would read the same records.
final class PublishedSubscriptions: Sendable {
    /// The rows of one app as a reading found them.
    struct Reading: Sendable {
        /// In the order of the purchases; none where there is no topic yet.
        let subscriptions: [PublishedSubscription]
        /// When the reading began, in milliseconds of the monotonic clock.
        let begun: Int64
    }

    private struct Snapshot {
        let rows: [BundleId: [PublishedSubscription]]
        let begun: Int64
    }

    private let topics: TopicNames
    private let kafka: KafkaConfiguration
    private let clocks: Clocks
    /// How long reading a topic may take.
    private let limit = Duration.seconds(3_600)
    private let snapshots = Mutex<[AppStoreEnvironment: Snapshot]>([:])

    init(topics: TopicNames, kafka: KafkaConfiguration, clocks: Clocks) {
        self.topics = topics
        self.kafka = kafka
        self.clocks = clocks
    }

    /// The last state of each subscription of an app.
    ///
    /// - Parameter moment: the topic is read again if the last reading began before it; milliseconds of the monotonic
    ///   clock.
    /// - Throws: a `KafkaError`.
    func read(
        of bundleId: BundleId, in environment: AppStoreEnvironment, since moment: Int64
    ) async throws -> Reading {
        let known = snapshots.withLock { $0[environment] }
        let snapshot: Snapshot
        if let known, known.begun >= moment {
            snapshot = known
        } else {
            snapshot = try await read(environment)
            snapshots.withLock { $0[environment] = snapshot }
        }
        return Reading(subscriptions: snapshot.rows[bundleId] ?? [], begun: snapshot.begun)
    }

    private func read(_ environment: AppStoreEnvironment) async throws -> Snapshot {
        let begun = clocks.monotonicMilliseconds()
        let places = try await partitions(of: topics.entitlements(environment))
        guard !places.isEmpty else { return Snapshot(rows: [:], begun: begun) }
        var rows: [[UInt8]: (BundleId, PublishedSubscription)] = [:]
        let beginnings = Dictionary(uniqueKeysWithValues: places.map { ($0, KafkaOffset.beginning) })
        try await KafkaConsumer.readToEnd(kafka, from: beginnings, within: limit) { records in
            for record in records {
                guard let key = record.key else { continue }
                rows[key] = Self.subscription(record, key)
            }
        }
        return Snapshot(
            rows: Dictionary(grouping: rows.values, by: { $0.0 }).mapValues { rows in
                rows.map { $0.1 }.sorted { $0.originalTransactionId.rawValue < $1.originalTransactionId.rawValue }
            }, begun: begun)
    }

    /// Nil for what is no subscription of which version 1 spoke.
    private static func subscription(
        _ record: KafkaRecord, _ key: [UInt8]
    ) -> (BundleId, PublishedSubscription)? {
        guard let bundleId = String(validating: key, as: UTF8.self).flatMap({ RecordKey.parts(of: $0) })?.bundleId,
            let subscription = PublishedSubscription(record, of: bundleId), subscription.isLegacy
        else { return nil }
        return (bundleId, subscription)
    }

    private func partitions(of topic: KafkaTopic) async throws -> [KafkaTopicPartition] {
        let admin = try KafkaAdmin(kafka)
        let places: [KafkaTopicPartition]
        do {
            places = Array(try await admin.watermarks(of: topic).keys)
        } catch {
            await admin.close(within: .seconds(1))
            guard error.code == .unknownTopic else { throw error }
            return []
        }
        await admin.close(within: .seconds(1))
        return places
    }
}
