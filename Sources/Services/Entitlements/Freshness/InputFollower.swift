internal import AppStoreModel
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records
internal import Synchronization
internal import Telemetry

/// Measures how far the group has read its input, for ``InputFreshness``.
///
/// Every few seconds, for each topic, the follower reads in this order: the ends of the log, the group's committed
/// offsets and this member's handled offsets, and the end of the state topic. This member then reads the state topic up
/// to that end. Its facts now include all committed or handled input, because that input had already been published. If
/// the brokers do not respond, nothing advances and the facts age.
final class InputFollower: Service {
    let name = "input follower"

    private let topics: TopicNames
    private let log: any InputLog
    private let freshness: InputFreshness
    private let handled: @Sendable (KafkaTopicPartition) -> KafkaOffset?
    private let catchUp: @Sendable (KafkaTopic) async throws -> Void
    private let clocks: Clocks
    private let frequent: RateLimitedLogger
    private let pause: @Sendable () async throws -> Void
    private let close: @Sendable () async -> Void
    private let isStopped = Mutex(false)

    /// - Parameters:
    ///   - handled: returns the offset before which this member has handled all records, or nil if it has handled no
    ///     record of the partition.
    ///   - catchUp: returns once this member has read the current contents of the state topic for an input.
    ///   - pause: waits between two measurements.
    ///   - close: releases the resources of `log`.
    init(
        topics: TopicNames, log: any InputLog, freshness: InputFreshness,
        handled: @escaping @Sendable (KafkaTopicPartition) -> KafkaOffset?,
        catchUp: @escaping @Sendable (KafkaTopic) async throws -> Void, clocks: Clocks, frequent: RateLimitedLogger,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(2)) },
        close: @escaping @Sendable () async -> Void = {}
    ) {
        self.topics = topics
        self.log = log
        self.freshness = freshness
        self.handled = handled
        self.catchUp = catchUp
        self.clocks = clocks
        self.frequent = frequent
        self.pause = pause
        self.close = close
    }

    func start() async throws {}

    /// Measures each topic in a separate task, so that a topic without a leader does not delay the others.
    func run() async throws {
        await withTaskGroup { group in
            for environment in AppStoreEnvironment.published {
                group.addTask { await self.follow(self.topics.input(environment)) }
            }
        }
        try Task.checkCancellation()
    }

    func stop(within limit: Duration) async {
        isStopped.withLock { $0 = true }
        await close()
    }

    private func follow(_ topic: KafkaTopic) async {
        while !Task.isCancelled, !isStopped.withLock({ $0 }) {
            do {
                try await look(at: topic)
            } catch is CancellationError {
                // If this task was cancelled or the service stopped, the loop condition ends the loop. Otherwise, this
                // member stopped reading the state topic, and the next measurement is a new attempt.
            } catch {
                guard !isStopped.withLock({ $0 }) else { return }
                frequent.log(
                    .warning, key: topic.rawValue,
                    "cannot determine how far the input has been read; the facts are becoming stale",
                    [
                        LogField(.topic, topic.rawValue), LogField(.error, "\(error)"),
                        LogField(
                            .fix, "Check the brokers, and check that this member may describe the topic and the group"),
                    ])
            }
            guard (try? await pause()) != nil else { return }
        }
    }

    /// Takes one measurement of one topic.
    func look(at topic: KafkaTopic) async throws {
        let moment = clocks.wallMilliseconds()
        let ends = try await log.ends(of: topic)
        let places = ends.indices.map {
            KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: Int32(clamping: $0)))
        }
        let committed = try await log.committedOffsets(of: places)
        let next = zip(places, ends).map { place, ends in
            // An offset beyond the end belongs to a previous topic with the same name.
            let handled = handled(place).flatMap { $0.rawValue <= ends.high ? $0.rawValue : nil } ?? ends.low
            return max(committed[place]?.rawValue ?? ends.low, handled, ends.low)
        }
        try await catchUp(topic)
        var offsets: [KafkaTopicPartition: KafkaOffset] = [:]
        freshness.update(topic, partitions: ends.count) { index, reading in
            reading.observe(end: ends[index].high, next: next[index], at: moment)
            if reading.needsTimestamp(at: next[index]) {
                offsets[places[index]] = KafkaOffset(rawValue: next[index])
            }
        }
        guard !offsets.isEmpty else { return }
        let timestamps = try await log.timestamps(at: offsets)
        freshness.update(topic, partitions: ends.count) { index, reading in
            guard let timestamp = timestamps[places[index]] else { return }
            reading.observe(nextRecordAt: timestamp)
        }
    }
}
