public import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Telemetry

/// Describes input that the group has committed and will not read again. The input's contribution to the state must
/// exist in the topic or in the database.
public struct StateHistory: Sendable {
    /// The group that reads the input topics.
    public var group: KafkaConsumerGroup
    /// Returns whether an input record contributes to the state.
    public var isKept: @Sendable (KafkaRecord) -> Bool
    /// Instructions for the operator on how to make the group read everything again.
    public var fix: String
    /// The maximum time that the check for lost state may spend reading input records.
    public var limit: Duration = .seconds(60)

    public init(group: KafkaConsumerGroup, isKept: @escaping @Sendable (KafkaRecord) -> Bool, fix: String) {
        self.group = group
        self.isKept = isKept
        self.fix = fix
    }
}

extension KeyedState {
    /// Returns whether both the topic and the database lack any data for a partition of the state.
    func isUnknown(
        _ place: KafkaTopicPartition, _ ends: KafkaWatermarks, _ parts: Parts
    ) throws(StateError) -> Bool {
        guard ends.low == ends.high else { return false }
        return try !parts.database.rows.knows(place, hadRecords: ends.high.rawValue > 0)
    }

    /// Throws if the state of a partition is lost: the group has already read input records that contribute to it, but
    /// neither the topic nor the database has any data for it.
    ///
    /// Accepts a new group, a group that has read nothing yet, and a group that has read only records that do not
    /// contribute.
    ///
    /// - Parameter inputs: input partitions without any state.
    /// - Throws: a `StartupError` with exit code 78, which ends the process.
    func refuseToForget(_ inputs: [KafkaTopicPartition], _ parts: Parts) async throws {
        guard let history = options.history, !inputs.isEmpty else { return }
        for (input, next) in try await committedOffsets(of: inputs, parts) {
            let low = try await parts.changelog.queries.watermarks(of: input).low
            // If the group is at the low watermark, it has read nothing, or the records that it has read have been
            // deleted.
            guard next > low, try await isKept(history, input, from: low, to: next) else { continue }
            let failure = StartupError(
                """
                the state of \(input) is lost: group \(history.group) is at offset \(next) and will not read \
                the earlier records again, and neither \(options.topics[input.topic] ?? input.topic) nor \
                \(options.path) has the state derived from them
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
            let queries = parts.changelog.queries
            for input in inputs { group.addTask { (input, try await queries.committedOffset(of: input)) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// Returns whether any of the records contributes to the state; false if this cannot be determined.
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
                "cannot determine whether the state is complete: it is empty, but the group has read records",
                input.logFields + [LogField(.error, error.message)])
            return false
        }
    }

    /// Thrown to stop reading early.
    private enum Answer: Error {
        case kept, nothing
    }
}
