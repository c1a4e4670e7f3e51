internal import AppStoreModel
internal import Kafka
internal import Primitives
internal import Reconciliation
internal import Records
internal import Synchronization

/// The subscriptions in the entitlements topics, to be compared with Apple's status. A process reads each topic once
/// for all apps, and then only new records, so later comparisons and rechecks are cheap.
final class PublishedSubscriptions: Sendable {
    /// A subscription and the position of its record.
    struct Row: Sendable {
        let subscription: PublishedSubscription
        let partition: KafkaTopicPartition
        let offset: KafkaOffset

        /// Returns whether both rows come from the same record.
        func isSame(as other: Row) -> Bool { partition == other.partition && offset == other.offset }
    }

    private struct Snapshot {
        var rows: [BundleId: [OriginalTransactionId: Row]] = [:]
        /// The next offset of each partition.
        var next: [KafkaTopicPartition: KafkaOffset] = [:]
        /// The time at which the last read began, in monotonic milliseconds.
        var begun: Int64
    }

    private let topics: TopicNames
    private let kafka: KafkaConfiguration
    private let clocks: Clocks
    /// The time limit for reading a topic.
    private let limit = Duration.seconds(3_600)
    private let snapshots = Mutex<[AppStoreEnvironment: Snapshot]>([:])
    private let records = Atomic<Int>(0)

    /// The number of records read, including records without a row.
    var recordsRead: Int { records.load(ordering: .relaxed) }

    init(topics: TopicNames, kafka: KafkaConfiguration, clocks: Clocks) {
        self.topics = topics
        self.kafka = kafka
        self.clocks = clocks
    }

    /// Returns an app's subscriptions as last read, ordered by purchase.
    func rows(of bundleId: BundleId, in environment: AppStoreEnvironment) -> [Row] {
        let rows = snapshots.withLock { $0[environment]?.rows[bundleId] } ?? [:]
        return rows.values.sorted {
            $0.subscription.originalTransactionId.rawValue < $1.subscription.originalTransactionId.rawValue
        }
    }

    /// Returns one row, or nil if it no longer exists.
    func row(
        of purchase: OriginalTransactionId, _ bundleId: BundleId, in environment: AppStoreEnvironment
    ) -> Row? {
        snapshots.withLock { $0[environment]?.rows[bundleId]?[purchase] }
    }

    /// Reads the new records in an environment's topic if the last read began before `moment`. A topic that does not
    /// exist has no rows. Must not be called concurrently.
    ///
    /// - Parameter moment: monotonic time in milliseconds.
    /// - Returns: the time at which the last read began, on the same clock.
    /// - Throws: a `KafkaError`; the next call reads the topic from its beginning.
    func refresh(_ environment: AppStoreEnvironment, since moment: Int64) async throws -> Int64 {
        // Remove the snapshot from the dictionary, so that a change does not copy the snapshot.
        let known = snapshots.withLock { $0.removeValue(forKey: environment) }
        if let known, known.begun >= moment {
            snapshots.withLock { $0[environment] = known }
            return known.begun
        }
        let begun = clocks.monotonicMilliseconds()
        let snapshot = try await read(environment, after: known, begun: begun)
        snapshots.withLock { $0[environment] = snapshot }
        return begun
    }

    private func read(
        _ environment: AppStoreEnvironment, after known: Snapshot?, begun: Int64
    ) async throws -> Snapshot {
        let ends = try await watermarks(of: topics.entitlements(environment))
        var snapshot = known ?? Snapshot(begun: begun)
        snapshot.begun = begun
        let isContinued = ends.allSatisfy { partition, marks in
            snapshot.next[partition].map { marks.low <= $0 && $0 <= marks.high } ?? true
        }
        // Start over if the topic was recreated or does not exist, or if unread records were deleted.
        if !isContinued || ends.isEmpty { snapshot = Snapshot(begun: begun) }
        var starts: [KafkaTopicPartition: KafkaOffset] = [:]
        for (partition, marks) in ends where snapshot.next[partition] ?? marks.low < marks.high {
            starts[partition] = snapshot.next[partition] ?? .beginning
        }
        for (partition, marks) in ends { snapshot.next[partition] = marks.high }
        guard !starts.isEmpty else { return snapshot }
        try await KafkaConsumer.readToEnd(kafka, from: starts, within: limit) { records in
            self.records.add(records.count, ordering: .relaxed)
            for record in records { Self.apply(record, to: &snapshot) }
        }
        return snapshot
    }

    private static func apply(_ record: KafkaRecord, to snapshot: inout Snapshot) {
        let next = KafkaOffset(rawValue: record.offset.rawValue + 1)
        // The end may have advanced since the watermarks were read.
        if next > snapshot.next[record.topicPartition] ?? .init(rawValue: 0) {
            snapshot.next[record.topicPartition] = next
        }
        guard let key = record.key.flatMap({ String(validating: $0, as: UTF8.self) }),
            let (bundleId, subject) = RecordKey.parts(of: key)
        else { return }
        let subscription = PublishedSubscription(record, of: bundleId, isComparedOnly: true)
        snapshot.rows[bundleId, default: [:]][OriginalTransactionId(subject)] =
            subscription.flatMap {
                $0.isCompared ? Row(subscription: $0, partition: record.topicPartition, offset: record.offset) : nil
            }
    }

    /// Returns the value of a row's record, or nil if the key has a later record.
    ///
    /// - Throws: a `KafkaError`.
    func value(of row: Row) async throws -> [UInt8]? {
        var first: KafkaRecord?
        do {
            try await KafkaConsumer.readToEnd(kafka, from: [row.partition: row.offset], within: .seconds(60)) {
                records in
                first = records.first
                throw Found()
            }
        } catch is Found {}
        return first?.offset == row.offset ? first?.value : nil
    }

    private struct Found: Error {}

    private func watermarks(of topic: KafkaTopic) async throws -> [KafkaTopicPartition: KafkaWatermarks] {
        let admin = try KafkaAdmin(kafka)
        let watermarks: [KafkaTopicPartition: KafkaWatermarks]
        do {
            watermarks = try await admin.watermarks(of: topic)
        } catch {
            await admin.close(within: .seconds(1))
            guard error.code == .unknownTopic else { throw error }
            return [:]
        }
        await admin.close(within: .seconds(1))
        return watermarks
    }
}
