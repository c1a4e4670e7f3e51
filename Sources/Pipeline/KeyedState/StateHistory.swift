public import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Telemetry

/// What the group has read already, and so reads no more: what of it belongs to the state must still be known somewhere.
public struct StateHistory: Sendable {
    /// The group that reads the input topics.
    public var group: KafkaConsumerGroup
    /// Whether an input record leaves something in the state.
    public var isKept: @Sendable (KafkaRecord) -> Bool
    /// How an operator lets the group read everything again.
    public var fix: String
    /// The longest that reading input records for this check may take.
    public var limit: Duration = .seconds(60)

    public init(group: KafkaConsumerGroup, isKept: @escaping @Sendable (KafkaRecord) -> Bool, fix: String) {
        self.group = group
        self.isKept = isKept
        self.fix = fix
    }
}

extension KeyedState {
    /// Whether neither the topic nor the database has anything of a partition of the state.
    func isUnknown(
        _ place: KafkaTopicPartition, _ ends: KafkaWatermarks, _ parts: Parts
    ) throws(StateError) -> Bool {
        guard ends.low == ends.high else { return false }
        return try !parts.rows.knows(place, hadRecords: ends.high.rawValue > 0)
    }

    /// Refuses to go on with less than the group has known: a partition of which neither the topic nor the database has
    /// anything, while the group has read records of it that left something and will not read them again.
    ///
    /// A new group, one that has read nothing yet, and one whose records left nothing are no reason.
    ///
    /// - Throws: a `StartupError` with exit code 78, which ends the process too.
    ///
    /// - Parameter inputs: partitions of the input of whose state nothing is known.
    func refuseToForget(_ inputs: [KafkaTopicPartition], _ parts: Parts) async throws {
        guard let history = options.history, !inputs.isEmpty else { return }
        for (input, next) in try await committedOffsets(of: inputs, parts) {
            let low = try await parts.queries.watermarks(of: input).low
            // At the oldest record nothing was read, or nothing of it is left to be read again.
            guard next > low, try await isKept(history, input, from: low, to: next) else { continue }
            let failure = StartupError(
                """
                what was known of \(input) is lost: group \(history.group) is at offset \(next) and will not read it \
                again, while \(options.topics[input.topic] ?? input.topic) and \(options.path) have nothing of it
                """,
                setting: "data.dir", fix: history.fix, exitCode: .configuration)
            fail(failure)
            throw failure
        }
    }

    private func committedOffsets(
        of inputs: [KafkaTopicPartition], _ parts: Parts
    ) async throws -> [KafkaTopicPartition: KafkaOffset] {
        try await withThrowingTaskGroup(of: (KafkaTopicPartition, KafkaOffset?).self) { group in
            for input in inputs { group.addTask { (input, try await parts.queries.committedOffset(of: input)) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// Whether one of the records leaves something in the state; false when that could not be found out.
    private func isKept(
        _ history: StateHistory, _ input: KafkaTopicPartition, from low: KafkaOffset, to next: KafkaOffset
    ) async throws -> Bool {
        do {
            try await KafkaConsumer.readToEnd(kafka, from: [input: low], within: history.limit) { records in
                if records.contains(where: { $0.offset < next && history.isKept($0) }) { throw Answer.kept }
                if let last = records.last, last.offset.rawValue + 1 >= next.rawValue { throw Answer.nothing }
            }
            return false
        } catch let answer as Answer {
            return answer == .kept
        } catch let error as KafkaError where [.timedOut, .offsetOutOfRange, .autoOffsetReset].contains(error.code) {
            logger.warning(
                "cannot tell whether the state is complete: it is empty, and the group has read records",
                input.logFields + [LogField(.error, error.message)])
            return false
        }
    }

    /// Ends the reading early.
    private enum Answer: Error {
        case kept, nothing
    }
}
