internal import Kafka
internal import Synchronization

/// A single pass over the control topic, from the beginning of the topic until a read fails.
final class ControlReading: Sendable {
    /// A malformed record.
    struct Fault: Sendable {
        let offset: KafkaOffset
        let error: ControlRecordError
    }

    private struct State {
        var table: ControlTable
        var isComplete = false
    }

    /// The last error reported by the client.
    private final class Report: Sendable {
        let text = Mutex("reading ended")

        func receive(_ event: KafkaConsumerEvent) {
            switch event {
            case .error(let error), .fatal(let error): set(error.message)
            case .damaged(_, let offset, let error): set("damaged at or after offset \(offset): \(error.message)")
            case .offsetOutOfRange(_, let offset): set("offset \(offset) no longer exists")
            default: break
            }
        }

        private func set(_ text: String) { self.text.withLock { $0 = text } }
    }

    let consumer: KafkaConsumer
    private let report: Report
    private let state: Mutex<State>

    /// - Parameter groups: the groups whose records are kept.
    init(_ kafka: KafkaConfiguration, _ place: KafkaTopicPartition, only groups: Set<KafkaConsumerGroup>) {
        var options = KafkaConsumer.Options()
        options.stopsIfDenied = true
        let report = Report()
        self.report = report
        consumer = KafkaConsumer(kafka, source: .partitions([place: .beginning]), options: options) {
            report.receive($0)
        }
        state = Mutex(State(table: ControlTable(only: groups)))
    }

    /// Whether the end of the topic has been reached. Until then, ``table`` is incomplete.
    var isComplete: Bool { state.withLock(\.isComplete) }

    /// The record in effect for each group.
    var table: ControlTable { state.withLock(\.table) }

    /// Waits for the next records and applies them.
    ///
    /// - Parameter limit: the maximum wait; nil waits until there are records.
    /// - Returns: the malformed records, which were not applied.
    /// - Throws: ``ControlTopicError`` if reading has ended.
    func next(within limit: Duration?) async throws(ControlTopicError) -> [Fault] {
        guard let partition = await consumer.assignedPartitions.first,
            let records = await partition.next(maxRecords: 1000, maxBytes: 4 << 20, within: limit)
        else { throw ControlTopicError(description: report.text.withLock { $0 }) }
        let isAtEnd = partition.hasReachedEnd
        return state.withLock { state in
            if isAtEnd { state.isComplete = true }
            return records.compactMap { record in
                do throws(ControlRecordError) {
                    try state.table.apply(record)
                    return nil
                } catch {
                    return Fault(offset: record.offset, error: error)
                }
            }
        }
    }
}

/// The control topic cannot be read.
struct ControlTopicError: Error, CustomStringConvertible {
    let description: String
}
