internal import Kafka
internal import PipelineRuntime

/// Queries that a keyed state makes about partitions of any topic, many at a time, through a client that does not
/// fetch. On a client that fetches, each query would wait half a second for the fetch on the same connection.
final class StateQueries: Sendable {
    /// Maximum time that a leader may take to answer.
    static let timeout = Duration.seconds(5)

    private let admin: KafkaAdmin
    private let watermarks: BatchedQueries<KafkaTopicPartition, KafkaWatermarks, KafkaError>
    private let committed: BatchedQueries<KafkaTopicPartition, KafkaOffset?, KafkaError>?
    private let records: BatchedQueries<RecordPlace, RecordPrint?, KafkaError>

    private struct RecordPlace: Hashable {
        var partition: KafkaTopicPartition
        var offset: KafkaOffset
    }

    /// - Parameter group: the group to query for committed offsets; nil if there is none.
    init(
        _ configuration: KafkaConfiguration, group: KafkaConsumerGroup?, on executor: HandlerThreads
    ) throws(KafkaError) {
        let admin = try KafkaAdmin(configuration)
        self.admin = admin
        let unanswered = KafkaError(.timedOut, "no response for a partition")
        watermarks = BatchedQueries(on: executor, unanswered: unanswered) { partitions, answered in
            await admin.ends(of: partitions, within: Self.timeout, answered: answered)
        }
        let reading = try Self.withoutWaiting(configuration)
        records = BatchedQueries(on: executor, unanswered: unanswered) { places, answered in
            do throws(KafkaError) {
                let found = try await Self.firstRecords(at: places, reading)
                answered(Dictionary(uniqueKeysWithValues: places.map { ($0, .success(found[$0])) }))
            } catch {
                answered(Dictionary(uniqueKeysWithValues: places.map { ($0, .failure(error)) }))
            }
        }
        committed = group.map { group in
            BatchedQueries(on: executor, unanswered: unanswered) { partitions, answered in
                do throws(KafkaError) {
                    let offsets = try await admin.committedOffsets(
                        of: group, partitions: Array(partitions), within: .seconds(10))
                    answered(Dictionary(uniqueKeysWithValues: partitions.map { ($0, .success(offsets[$0])) }))
                } catch {
                    answered(Dictionary(uniqueKeysWithValues: partitions.map { ($0, .failure(error)) }))
                }
            }
        }
    }

    /// Returns both ends of a partition's log.
    ///
    /// - Parameter limit: the maximum time to wait for a leader election.
    /// - Throws: the leader's error; `timedOut` if the leader does not answer.
    func watermarks(
        of place: KafkaTopicPartition, within limit: Duration = .seconds(10)
    ) async throws(KafkaError) -> KafkaWatermarks {
        let end = ContinuousClock.now + limit
        while true {
            do throws(KafkaError) {
                return try await watermarks.answer(to: place)
            } catch {
                let pause = Duration.milliseconds(100)
                guard error.isRetriable, ContinuousClock.now + pause < end, !Task.isCancelled else { throw error }
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Returns the watermarks of each partition whose leader responds within `limit`.
    func watermarks(
        of places: [KafkaTopicPartition], within limit: Duration
    ) async -> [KafkaTopicPartition: KafkaWatermarks] {
        await withTaskGroup(of: (KafkaTopicPartition, KafkaWatermarks?).self) { group in
            for place in places {
                group.addTask { (place, try? await self.watermarks(of: place, within: limit)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// Returns the group's committed offset for an input partition; nil if there is none.
    func committedOffset(of input: KafkaTopicPartition) async throws(KafkaError) -> KafkaOffset? {
        try await committed?.answer(to: input) ?? nil
    }

    /// Returns the first record at or after an offset; nil if there is none.
    func firstRecord(
        of place: KafkaTopicPartition, at offset: KafkaOffset
    ) async throws(KafkaError) -> RecordPrint? {
        try await records.answer(to: RecordPlace(partition: place, offset: offset))
    }

    private static func firstRecords(
        at places: Set<RecordPlace>, _ configuration: KafkaConfiguration
    ) async throws(KafkaError) -> [RecordPlace: RecordPrint] {
        // Only one task at a time queries a partition, so there is only one offset per partition.
        let offsets = Dictionary(places.map { ($0.partition, $0.offset) }, uniquingKeysWith: { first, _ in first })
        let consumer = KafkaConsumer(configuration, source: .partitions(offsets)) { _ in }
        try await consumer.start()
        let partitions = await consumer.assignedPartitions
        // Query in parallel, because a partition whose last records were compacted away returns nothing before the
        // timeout.
        let found = await withTaskGroup(of: (KafkaTopicPartition, KafkaRecord?).self) { group in
            for partition in partitions {
                group.addTask {
                    (partition.topicPartition, await partition.next(maxRecords: 1, within: Self.timeout)?.first)
                }
            }
            return await group.reduce(into: [RecordPlace: RecordPrint]()) { found, answer in
                guard let record = answer.1, let offset = offsets[answer.0] else { return }
                found[RecordPlace(partition: answer.0, offset: offset)] = RecordPrint(record)
            }
        }
        await consumer.close(within: .seconds(2))
        return found
    }

    /// Returns the configuration for reading one record per partition: fetches do not wait for more records.
    private static func withoutWaiting(
        _ configuration: KafkaConfiguration
    ) throws(KafkaError) -> KafkaConfiguration {
        try configuration.adding(["fetch.wait.max.ms": "10"]) { $1 }
    }

    func close(within limit: Duration) async { await admin.close(within: limit) }
}
