internal import ArchiveLog
internal import Configuration
internal import Kafka
internal import OperatorEvents
internal import Primitives
internal import Records
internal import Synchronization

/// Publishes the findings of `sluicectl archive verify` as operator events, one for each combination of log and kind of
/// finding.
struct FindingEvents {
    let configuration: Configuration
    let clocks: Clocks
    /// Timeout for the brokers' first response.
    let timeout: Duration
    let publishing: RecordPublishing

    private struct Condition: Hashable {
        let log: KafkaTopicPartition
        let kind: Finding.Kind
    }

    /// Publishes the findings if operator events are on, and returns once they are acknowledged.
    ///
    /// - Throws: a `StartupError` if Kafka does not acknowledge them.
    func publish(_ findings: [Finding]) async throws {
        guard configuration[OperatorEventSettings.events], !findings.isEmpty else { return }
        let topic = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).operations
        try await publishing.publish(
            Self.records(of: findings, to: topic, clocks: clocks), configuration, timeout)
    }

    /// Returns one event for each combination of log and kind, with the first finding and the number of findings.
    static func records(of findings: [Finding], to topic: KafkaTopic, clocks: Clocks) -> [KafkaProducerRecord] {
        var counts: [Condition: Int] = [:]
        var first: [(condition: Condition, finding: Finding)] = []
        for finding in findings {
            let condition = Condition(log: finding.log, kind: finding.kind)
            if counts[condition] == nil { first.append((condition, finding)) }
            counts[condition, default: 0] += 1
        }
        let records = Mutex<[KafkaProducerRecord]>([])
        let events = OperatorEvents(.current(executable: "sluicectl"), topic: topic, clocks: clocks) { _, record in
            records.withLock { $0.append(record) }
        }
        for (condition, finding) in first {
            events.publish(
                .archiveFinding, subject: "\(condition.log)",
                data: [
                    "reason": .text(finding.kind.rawValue.replacing("-", with: "_")),
                    "detail": .text(String(finding.message.prefix(1_000))),
                    "findings": counts[condition].map { .integer(Int64($0)) },
                ])
        }
        return records.withLock { $0 }
    }
}
