internal import AppStoreModel
internal import Kafka
internal import Reconciliation
internal import Records

/// What the entitlements topics say of subscriptions of which version 1 spoke.
struct PublishedSubscriptions: Sendable {
    let topics: TopicNames
    let kafka: KafkaConfiguration
    /// How long reading a topic may take.
    var limit = Duration.seconds(3_600)

    /// The last state of each, in the order of the purchases; none where there is no topic yet.
    ///
    /// - Throws: a `KafkaError`.
    func read(of bundleId: BundleId, in environment: AppStoreEnvironment) async throws -> [PublishedSubscription] {
        let places = try await partitions(of: topics.entitlements(environment))
        guard !places.isEmpty else { return [] }
        var rows: [[UInt8]: PublishedSubscription] = [:]
        let beginnings = Dictionary(uniqueKeysWithValues: places.map { ($0, KafkaOffset.beginning) })
        try await KafkaConsumer.readToEnd(kafka, from: beginnings, within: limit) { records in
            for record in records {
                guard let key = record.key else { continue }
                rows[key] = PublishedSubscription(record, of: bundleId).flatMap { $0.isLegacy ? $0 : nil }
            }
        }
        return rows.values.sorted { $0.originalTransactionId.rawValue < $1.originalTransactionId.rawValue }
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
