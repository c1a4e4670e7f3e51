package import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import SQLite
internal import Telemetry

/// What the group has read already, and so reads no more: what of it belongs to the state must still be known somewhere.
package struct StateHistory: Sendable {
    /// The group that reads the input topics.
    package var group: KafkaConsumerGroup
    /// Whether an input record leaves something in the state.
    package var isKept: @Sendable (KafkaRecord) -> Bool
    /// How an operator lets the group read everything again.
    package var fix: String
    /// The longest that reading input records for this check may take.
    package var limit: Duration = .seconds(60)

    package init(group: KafkaConsumerGroup, isKept: @escaping @Sendable (KafkaRecord) -> Bool, fix: String) {
        self.group = group
        self.isKept = isKept
        self.fix = fix
    }
}

extension KeyedState {
    /// Refuses to go on with less than the group has known: a partition of which neither the topic nor the database has
    /// anything, while the group has read records of it that left something and will not read them again.
    ///
    /// A new group, one that has read nothing yet, and one whose records left nothing are no reason.
    ///
    /// - Parameters:
    ///   - ends: of the state's partitions.
    ///   - inputs: the ends of their input partitions.
    /// - Throws: a `StartupError` with exit code 78.
    func refuseToForget(
        _ admin: KafkaAdmin, ends: [KafkaTopicPartition: KafkaWatermarks],
        inputs: [KafkaTopicPartition: KafkaWatermarks]
    ) async throws {
        guard let history = layout.history else { return }
        let empty = try inputs.filter { input, _ in
            guard let place = statePartition(of: input), let ends = ends[place], ends.low == ends.high else {
                return false
            }
            return try !hasRows(of: place)
        }
        let committed = try await admin.committedOffsets(
            of: history.group, partitions: Array(empty.keys), within: .seconds(10))
        for (input, next) in committed.sorted(by: { $0.key.description < $1.key.description }) {
            // At the oldest record nothing was read, or nothing of it is left to be read again.
            guard let low = empty[input]?.low, next > low, try await isKept(history, input, from: low, to: next) else {
                continue
            }
            let topic = layout.topics[input.topic] ?? input.topic
            throw StartupError(
                """
                what was known of \(input) is lost: group \(history.group) is at offset \(next) and will not read it \
                again, while \(topic) and \(layout.path) have nothing of it
                """,
                setting: "data.dir", fix: history.fix, exitCode: .configuration)
        }
    }

    private func hasRows(of place: KafkaTopicPartition) throws -> Bool {
        try store.read { database in
            try database.firstRow(
                "SELECT 1 FROM rows WHERE topic = ? AND partition = ? LIMIT 1",
                [.text(place.topic.rawValue), .integer(Int64(place.partition.rawValue))]
            ) { _ in true } ?? false
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
