internal import AppStoreModel
internal import Kafka
internal import KeyedState
internal import Reconciliation
internal import Records

/// The index of the notification topics.
struct ReceivedIndex: Sendable {
    /// The key and mark that a notification would have if it were in the topic.
    struct Wanted: Sendable, Hashable {
        /// The record key.
        let key: [UInt8]
        let mark: NotificationMark
    }

    /// The index is not up to date, so missing notifications cannot be identified.
    struct NotCaughtUp: Error, CustomStringConvertible {
        let description: String
    }

    let state: KeyedState<ReconcilerModel>
    let topics: TopicNames
    let kafka: KafkaConfiguration
    let group: KafkaConsumerGroup
    /// The time limit for bringing the index up to date; the group commits every second.
    var limit = Duration.seconds(60)

    /// Returns the notifications that are known to be in the topic.
    func known(_ wanted: [Wanted], in environment: AppStoreEnvironment) async throws -> Set<Wanted> {
        guard !wanted.isEmpty else { return [] }
        let topic = topics.reconciliation(environment)
        return try await state.reader().read { view in
            var known: Set<Wanted> = []
            for one in wanted where try view.state(of: one.key, in: topic)?.received?.contains(one.mark) == true {
                known.insert(one)
            }
            return known
        }
    }

    /// Adds the mark of a quarantined notification.
    func remember(quarantined mark: NotificationMark, in environment: AppStoreEnvironment, at now: Int64) async throws {
        let row = ReceivedNotifications(
            key: ReceivedNotifications.quarantined(mark), mark,
            at: AppStoreInstant(clampingMillisecondsSince1970: now))
        _ = try await state.merge([.received(row)], from: topics.notifications(environment))
    }

    /// Waits until the index contains all records that are in the notification topic at the time of the call, whichever
    /// member read them. Two conditions must be met: the group has committed the records' offsets, which happens once
    /// their rows are acknowledged, and the rows have been read back.
    ///
    /// - Returns: the start of the index, in milliseconds since 1970. The index contains every later notification. 0 if
    ///   no record was deleted before being read.
    func catchUp(_ environment: AppStoreEnvironment, now: Int64) async throws -> Int64 {
        let topic = topics.notifications(environment)
        let admin = try KafkaAdmin(kafka)
        let ends: [KafkaTopicPartition: KafkaWatermarks]
        do {
            ends = try await admin.watermarks(of: topic)
            try await waitForGroup(to: ends, admin)
        } catch {
            await admin.close(within: .seconds(1))
            throw error
        }
        await admin.close(within: .seconds(1))
        try await state.catchUp(with: topic)
        return try await since(ends, environment, now: now)
    }

    private func waitForGroup(to ends: [KafkaTopicPartition: KafkaWatermarks], _ admin: KafkaAdmin) async throws {
        let end = ContinuousClock.now + limit
        while true {
            let committed = try await admin.committedOffsets(of: group, partitions: Array(ends.keys))
            let behind = ends.filter { partition, marks in
                marks.low < marks.high && (committed[partition] ?? .init(rawValue: -1)) < marks.high
            }
            guard let partition = behind.keys.first else { return }
            guard ContinuousClock.now < end else {
                throw NotCaughtUp(
                    description:
                        "group \(group) has not reached the end of \(partition); "
                        + "missing notifications cannot be identified"
                )
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func since(
        _ ends: [KafkaTopicPartition: KafkaWatermarks], _ environment: AppStoreEnvironment, now: Int64
    ) async throws -> Int64 {
        let topic = topics.reconciliation(environment)
        return try await state.reader().read { view in
            try ends.map { partition, marks in
                let key = Array(ReceivedNotifications.partition(partition.partition.rawValue).utf8)
                if let since = try view.state(of: key, in: topic)?.received?.since { return since }
                return marks.low.rawValue == 0 ? 0 : now
            }.max() ?? 0
        }
    }
}
