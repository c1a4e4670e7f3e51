internal import Kafka
internal import Lifecycle
internal import Synchronization

/// Reads all partitions of a topic without a consumer group: it commits nothing and does not affect any consumers.
struct TapReader {
    let kafka: KafkaConfiguration
    let offsets: [KafkaTopicPartition: KafkaOffset]
    /// Whether to wait for more records after the end of a partition.
    let follows: Bool

    private enum Ending: Sendable {
        /// This partition has been read as far as requested.
        case partition
        /// No more records are needed.
        case all
        /// The partition stopped returning records before its end offset.
        case failed
        /// The source of interruptions has ended.
        case uninterruptible
    }

    /// Returns the first offset to read in a partition with the oldest offset `low` and the next offset `high`.
    static func offset(of start: TapStart, low: KafkaOffset, high: KafkaOffset) -> KafkaOffset {
        switch start {
        case .beginning: return low
        case .end: return high
        case .last(let count):
            let (wanted, overflow) = high.rawValue.subtractingReportingOverflow(count)
            return overflow ? low : max(low, KafkaOffset(rawValue: wanted))
        }
    }

    /// Reads until `take` returns false, `interruption` yields or, if ``follows`` is false, every partition has been
    /// read to its end.
    ///
    /// - Parameters:
    ///   - take: receives records from one partition in offset order; returns false to stop.
    ///   - warn: receives errors from which librdkafka recovers by itself.
    func run(
        interruption: AsyncStream<String>, warn: @escaping @Sendable (String) -> Void,
        take: @escaping @Sendable ([KafkaRecord]) async -> Bool
    ) async throws {
        let troubles = Troubles(warn: warn)
        let consumer = KafkaConsumer(kafka, source: .partitions(offsets)) { troubles.take($0) }
        try await consumer.start()
        let partitions = await consumer.assignedPartitions
        let failure = await withTaskGroup(of: Ending.self, returning: StartupError?.self) { group in
            var failure: StartupError?
            group.addTask {
                for await _ in interruption { return .all }
                return .uninterruptible
            }
            for partition in partitions {
                group.addTask { await read(partition, take) }
            }
            var unread = partitions.count
            while unread > 0, let ending = await group.next() {
                if ending == .all { break }
                if ending == .failed {
                    failure = troubles.worst ?? TapReader.unknownTrouble
                    break
                }
                if ending == .partition { unread -= 1 }
            }
            group.cancelAll()
            return failure
        }
        await consumer.close(within: .seconds(5))
        if let failure { throw failure }
    }

    private func read(
        _ partition: KafkaAssignedPartition, _ take: @Sendable ([KafkaRecord]) async -> Bool
    ) async -> Ending {
        while let records = await partition.next(maxRecords: 500, maxBytes: 4 << 20) {
            if records.isEmpty {
                if !follows { return .partition }
            } else if await !take(records) {
                return .all
            }
        }
        return Task.isCancelled ? .partition : .failed
    }

    private static let unknownTrouble = StartupError(
        "a partition stopped returning records before its end offset", fix: "Run the command again")
}

/// The errors and warnings that the consumer reports.
private final class Troubles: Sendable {
    private struct State {
        var worst: StartupError?
        var lastWarning: KafkaError.Code?
    }

    private let state = Mutex(State())
    private let warn: @Sendable (String) -> Void

    init(warn: @escaping @Sendable (String) -> Void) {
        self.warn = warn
    }

    /// The reason that reading a partition ended early, or nil if unknown.
    var worst: StartupError? { state.withLock { $0.worst } }

    func take(_ event: KafkaConsumerEvent) {
        switch event {
        case .fatal(let error):
            state.withLock { $0.worst = StartupError(error.description, fix: "Run the command again") }
        case .offsetOutOfRange(let partition, let offset):
            let error = StartupError(
                "\(partition) no longer has offset \(offset), which was deleted",
                fix: "Run the command again, or run it with --start end"
            )
            state.withLock { $0.worst = error }
        case .damaged(let partition, let offset, let error):
            let failure = StartupError(
                "\(partition) cannot be read at or after offset \(offset): \(error)",
                fix: "See runbooks/damaged-log.md", exitCode: .damagedLog)
            state.withLock { $0.worst = failure }
        case .error(let error):
            // Warn once per error code: librdkafka repeats an unreachable broker's error with every attempt.
            let isNew = state.withLock { state in
                defer { state.lastWarning = error.code }
                return state.lastWarning != error.code
            }
            if isNew { warn(error.description) }
        default: break
        }
    }
}
