internal import ArchiveLog
internal import Kafka
internal import OperatorEvents
internal import Synchronization

/// Publishes an operator event for each finding about an archive log. In each case, the log differs from its signed
/// state, an anchor rejects or contradicts its checkpoint, records are missing, or payloads are not deleted. A
/// persistent condition is a single finding until it ends.
final class ArchiveFindings: Sendable {
    /// The codes of failures that are findings. Other failures may be transient.
    static let codes: Set<ArchiveError.Code> = [
        .otherWriter, .damaged, .checkpointMissing, .beginRefused, .rolledBack, .forked, .unknownKey,
        .invalidSignature, .missingObject, .corruptObject,
    ]

    /// The kind of work that a condition affects.
    private enum Work: Hashable {
        case writing
        case anchoring(String)
        case deleting
        case expiry
    }

    private struct Subject: Hashable {
        let log: KafkaTopicPartition
        let work: Work
    }

    private let events: OperatorEvents?
    /// The reason for each ongoing condition.
    private let reasons = Mutex<[Subject: String]>([:])
    /// The first offset of each partition's last gap, so that a gap is not reported again when a failed flush is
    /// retried.
    private let gaps = Mutex<[KafkaTopicPartition: KafkaOffset]>([:])

    init(_ events: OperatorEvents?) { self.events = events }

    // MARK: Logs

    /// Reports a failure to open, verify or write the log of a partition.
    func failed(_ partition: KafkaTopicPartition, _ error: ArchiveError) {
        guard Self.codes.contains(error.code) else { return }
        begin(Subject(log: partition, work: .writing), error.code.rawValue, error.message)
    }

    /// Ends the finding about a log.
    func written(_ partition: KafkaTopicPartition) { end(Subject(log: partition, work: .writing)) }

    /// Reports offsets that Kafka deleted before they were archived.
    func missing(_ partition: KafkaTopicPartition, _ offsets: Range<KafkaOffset>) {
        let isNew = gaps.withLock { $0.updateValue(offsets.lowerBound, forKey: partition) != offsets.lowerBound }
        guard isNew else { return }
        events?.publish(
            .archiveFinding, subject: "\(partition)",
            data: [
                "reason": .text("missing_records"), "firstMissing": .integer(offsets.lowerBound.rawValue),
                "lastMissing": .integer(offsets.upperBound.rawValue - 1),
            ])
    }

    // MARK: Anchors

    /// Reports a failure to anchor a log. The failure is a finding only if the anchor refuses the checkpoint, or has a
    /// longer or different log.
    func failed(_ anchor: String, _ log: KafkaTopicPartition, _ error: ArchiveServiceError) {
        let reason: String
        switch error.code {
        case .refused: reason = "anchor_refused"
        case .conflict: reason = "anchor_conflict"
        default: return
        }
        begin(Subject(log: log, work: .anchoring(anchor)), reason, error.message, anchor: anchor)
    }

    /// Ends the finding about a log and an anchor.
    func anchored(_ anchor: String, _ log: KafkaTopicPartition) { end(Subject(log: log, work: .anchoring(anchor))) }

    // MARK: Retention

    /// Reports that the expired payloads of a log cannot be deleted.
    func notDeleted(_ partition: KafkaTopicPartition, _ error: any Error) {
        begin(Subject(log: partition, work: .deleting), "retention_failed", "\(error)")
    }

    /// Ends the finding about the deletion of a log's payloads.
    func deleted(_ partition: KafkaTopicPartition) { end(Subject(log: partition, work: .deleting)) }

    /// Reports whether payloads of a log should have been deleted long ago.
    ///
    /// - Parameter detail: a sentence about the oldest of them; nil if there are none.
    func overdue(_ partition: KafkaTopicPartition, _ detail: String?) {
        let subject = Subject(log: partition, work: .expiry)
        guard let detail else { return end(subject) }
        begin(subject, "retention_overdue", detail)
    }

    // MARK: Conditions

    private func begin(_ subject: Subject, _ reason: String, _ detail: String, anchor: String? = nil) {
        let isNew = reasons.withLock { $0.updateValue(reason, forKey: subject) != reason }
        guard isNew else { return }
        let line = detail.split(whereSeparator: \.isNewline).joined(separator: " ")
        events?.publish(
            .archiveFinding, subject: "\(subject.log)",
            data: [
                "reason": .text(reason), "detail": .text(String(line.prefix(1_000))),
                "anchor": anchor.map { .text($0) },
            ])
    }

    private func end(_ subject: Subject) { reasons.withLock { $0[subject] = nil } }
}
