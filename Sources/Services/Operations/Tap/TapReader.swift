internal import Kafka
internal import Lifecycle
internal import Synchronization

/// Reads all partitions of a topic without a group: nothing is committed, and no consumer is affected.
struct TapReader {
    let kafka: KafkaConfiguration
    let offsets: [KafkaTopicPartition: KafkaOffset]
    /// Whether to wait for more at the end of a partition.
    let follows: Bool

    private enum Ending: Sendable {
        /// Everything that was wanted of this partition was read.
        case partition
        /// Nothing more is wanted.
        case all
        /// The partition gives no more records although some are wanted.
        case failed
        /// It cannot be interrupted any more.
        case uninterruptible
    }

    /// Where a partition is begun whose oldest record has the offset `low` and whose next one gets `high`.
    static func offset(of start: TapStart, low: KafkaOffset, high: KafkaOffset) -> KafkaOffset {
        switch start {
        case .beginning: return low
        case .end: return high
        case .last(let count):
            let (wanted, overflow) = high.rawValue.subtractingReportingOverflow(count)
            return overflow ? low : max(low, KafkaOffset(rawValue: wanted))
        }
    }

    /// Until `take` has enough, every partition is at its end (unless followed), or `interruption` yields.
    ///
    /// - Parameters:
    ///   - take: gets records of one partition, ascending by offset; returns false when it has enough.
    ///   - warn: gets what librdkafka recovers from by itself.
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

    private static let unknownTrouble = StartupError("a partition gives no more records", fix: "Run it again")
}

/// What the consumer reports beside records.
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

    /// Why a partition ended, if that is known.
    var worst: StartupError? { state.withLock { $0.worst } }

    func take(_ event: KafkaConsumerEvent) {
        switch event {
        case .fatal(let error):
            state.withLock { $0.worst = StartupError(error.description, fix: "Run it again") }
        case .offsetOutOfRange(let partition, let offset):
            let error = StartupError(
                "\(partition) no longer has offset \(offset): the log moved on", fix: "Run it again, or with --from end"
            )
            state.withLock { $0.worst = error }
        case .damaged(let partition, let offset, let error):
            let failure = StartupError(
                "\(partition) cannot be read at or behind offset \(offset): \(error)",
                fix: "See runbooks/damaged-log.md", exitCode: .damagedLog)
            state.withLock { $0.worst = failure }
        case .error(let error):
            // One line a kind: a broker that is down says so with every attempt.
            let isNew = state.withLock { state in
                defer { state.lastWarning = error.code }
                return state.lastWarning != error.code
            }
            if isNew { warn(error.description) }
        default: break
        }
    }
}
