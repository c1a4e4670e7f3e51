internal import KafkaModel

/// Checks the order of leaves: each offset occurs once and in order, every missing offset is covered by a gap leaf, and
/// no leaf was archived before the preceding one.
struct LeafOrder {
    private let log: KafkaTopicPartition
    private var last: LeafFacts?
    /// The next expected offset; nil if unknown.
    private var next: Int64?
    private(set) var emptyRanges = 0

    init(log: KafkaTopicPartition) { self.log = log }

    /// Returns the problems with the next leaf.
    mutating func findings(_ leaf: LeafFacts) -> [Finding] {
        defer {
            last = leaf
            next = leaf.kind == .gap ? leaf.gap?.nextOffset.rawValue : leaf.offset < .max ? leaf.offset + 1 : nil
        }
        var findings: [Finding] = []
        if let last {
            if leaf.archivedAt < last.archivedAt {
                findings.append(finding(.tampered, leaf, "the leaf was archived before the preceding one"))
            }
            // Offsets in another cluster are unrelated.
            if leaf.cluster == last.cluster {
                if leaf.offset <= last.offset || leaf.offset < next ?? .min {
                    findings.append(finding(.tampered, leaf, "the offset is not after the preceding leaf's"))
                } else if let next, leaf.offset > next, !leaf.kind.isOfCompactedTopic {
                    findings.append(
                        Finding(
                            .incomplete, log, leaf: leaf.index, offset: KafkaOffset(rawValue: next),
                            "offsets \(next) to \(leaf.offset - 1) are not in the log, and no leaf gives the reason"))
                }
            }
        }
        if let gap = leaf.gap {
            switch gap.reason {
            case .noRecord: emptyRanges += 1
            case .deleted:
                let end = max(leaf.offset, gap.nextOffset.rawValue - 1)
                findings.append(
                    finding(
                        .incomplete, leaf, "offsets \(leaf.offset) to \(end) were deleted before they were archived"))
            case .deadLettered:
                let end = max(leaf.offset, gap.nextOffset.rawValue - 1)
                findings.append(
                    finding(
                        .incomplete, leaf,
                        "records at offsets \(leaf.offset) to \(end) were dead-lettered instead of archived"))
            }
        }
        return findings
    }

    /// Forgets the previous leaf. Called after leaves that could not be read.
    mutating func interrupt() {
        last = nil
        next = nil
    }

    private func finding(_ kind: Finding.Kind, _ leaf: LeafFacts, _ message: String) -> Finding {
        Finding(kind, log, leaf: leaf.index, offset: KafkaOffset(rawValue: leaf.offset), message)
    }
}

extension ArchiveKind {
    /// Whether Kafka compacts the topic, which creates gaps between records.
    var isOfCompactedTopic: Bool {
        switch self {
        case .refund, .erasure, .certificate: true
        case .notification, .quarantine, .deadLetter, .gap: false
        }
    }
}
