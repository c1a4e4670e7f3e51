internal import AppStoreModel
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Primitives
internal import Reconciliation
internal import Records
internal import Synchronization

/// Indexes the notifications in the notification topics and detects when they resume after a gap.
struct ReconcilerHandler: BatchHandler {
    private let handler: KeyedStateHandler<ReconcilerModel>
    private let environments: [KafkaTopic: AppStoreEnvironment]
    private let state: KeyedState<ReconcilerModel>
    private let clocks: Clocks
    private let signal: OutageObserver
    private let begun = BegunPartitions()

    /// - Parameter recovered: called with an environment in which the ingress may have been unavailable until now, and
    ///   the time at which its notifications resumed, in milliseconds since 1970.
    init(
        _ state: KeyedState<ReconcilerModel>, topics: TopicNames, outage: Int64, clocks: Clocks,
        recovered: @escaping @Sendable (AppStoreEnvironment, Int64) -> Void
    ) {
        self.state = state
        self.clocks = clocks
        let environments = TopicNames.environments(of: topics.notifications)
        self.environments = environments
        signal = OutageObserver(OutageSignal(silence: outage), recovered)
        handler = KeyedStateHandler(state) { Self.reading($0, environments) }
    }

    /// Describes the input that the group has already consumed. A start with lost state must not be mistaken for a
    /// first start, because every notification would then seem to be missing.
    static func history(of group: KafkaConsumerGroup, topics: TopicNames) -> StateHistory {
        let environments = TopicNames.environments(of: topics.notifications)
        return StateHistory(
            group: group,
            isKept: { if case .state = reading($0, environments) { true } else { false } },
            fix: "Stop all sluice-reconciler processes, and let their group read the remaining notifications again: "
                + "kafka-consumer-groups.sh --group \(group) --all-topics --reset-offsets --to-earliest --execute")
    }

    func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        if let first = records.first { try await noteBegin(first) }
        let verdicts = try await handler.handle(records)
        let now = clocks.wallMilliseconds()
        for record in records {
            guard let environment = environments[record.topic], let timestamp = record.timestampMilliseconds,
                record.text(.origin) == RecordOrigin.live.rawValue
            else { continue }
            signal.take(timestamp, in: environment, at: now)
        }
        return verdicts
    }

    func partitionAssigned(_ partition: KafkaTopicPartition) async throws {
        begun.forget(partition)
        try await handler.partitionAssigned(partition)
    }

    func partitionReleased(_ partition: KafkaTopicPartition) async { await handler.partitionReleased(partition) }

    /// Stores the start of a partition's index: the first record ever read. Any earlier records had already been
    /// deleted. If several starts are recorded, the earliest applies.
    private func noteBegin(_ record: KafkaRecord) async throws {
        guard environments[record.topic] != nil, begun.begin(record.topicPartition) else { return }
        let since = record.offset.rawValue == 0 ? 0 : record.timestampMilliseconds ?? clocks.wallMilliseconds()
        let row = ReceivedNotifications(partition: record.partition.rawValue, since: since)
        do {
            _ = try await state.merge([.received(row)], from: record.topic)
        } catch {
            begun.forget(record.topicPartition)
            throw error
        }
    }

    static func reading(
        _ record: KafkaRecord, _ environments: [KafkaTopic: AppStoreEnvironment]
    ) -> StateReading<ReconciliationRow> {
        guard environments[record.topic] != nil else {
            // Programming error: a topic unknown to this handler. Dead-letter this record instead of crashing.
            return .verdict(.deadLetter(HandlerReason(code: ReconcilerReason.unknownTopic)))
        }
        guard record.value != nil else { return .verdict(.skip(HandlerReason(code: ReconcilerReason.nullValue))) }
        if record.text(.trust) == RecordTrust.sharedSecret.rawValue {
            return .verdict(.skip(HandlerReason(code: ReconcilerReason.unsigned)))
        }
        guard let id = record.text(.id),
            let key = record.key.flatMap({ String(validating: $0, as: UTF8.self) }),
            RecordKey.parts(of: key) != nil
        else { return .verdict(.deadLetter(HandlerReason(code: ReconcilerReason.noIdentity))) }
        // Use the later of the signing date and the record's timestamp, so that the retention covers the whole time in
        // which Apple may have sent the notification.
        let signedAt = record.text(.time).flatMap { AppStoreInstant(rfc3339: $0) } ?? .earliest
        let writtenAt = AppStoreInstant(clampingMillisecondsSince1970: record.timestampMilliseconds ?? 0)
        return .state(
            .received(ReceivedNotifications(key: key, NotificationMark(of: id), at: max(signedAt, writtenAt))))
    }
}

/// Partitions for which the first record since the assignment has already been noted.
private final class BegunPartitions: Sendable {
    private let noted = Mutex<Set<KafkaTopicPartition>>([])

    func begin(_ partition: KafkaTopicPartition) -> Bool { noted.withLock { $0.insert(partition).inserted } }
    func forget(_ partition: KafkaTopicPartition) { noted.withLock { _ = $0.remove(partition) } }
}

/// The outage signal shared by all partitions of this process.
private final class OutageObserver: Sendable {
    private let signal: Mutex<OutageSignal>
    private let recovered: @Sendable (AppStoreEnvironment, Int64) -> Void

    init(_ signal: OutageSignal, _ recovered: @escaping @Sendable (AppStoreEnvironment, Int64) -> Void) {
        self.signal = Mutex(signal)
        self.recovered = recovered
    }

    func take(_ timestamp: Int64, in environment: AppStoreEnvironment, at now: Int64) {
        if signal.withLock({ $0.isRecovery(timestamp, in: environment, at: now) }) { recovered(environment, timestamp) }
    }
}
