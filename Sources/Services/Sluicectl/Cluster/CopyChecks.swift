internal import Kafka
internal import Records

/// Checks that a cluster has all records from its source, by comparing the first and last records of each partition.
struct CopyChecks {
    /// Maximum lag of a copy that is catching up, in milliseconds. A copy with a greater lag is considered stuck.
    static let tolerance: Int64 = 60_000

    let source: ClusterView
    let target: ClusterView
    /// Whether the switch is imminent. If so, no record may be in flight.
    let isFinal: Bool
    /// Topics in which a later record replaces earlier ones with the same key.
    let compacted: Set<KafkaTopic>

    /// - Parameter topics: the mirrored topics.
    func findings(_ topics: [KafkaTopic]) -> [ClusterFinding] {
        guard source.id != target.id else {
            return [
                ClusterFinding(
                    .problem, .brokers, "the source is this cluster itself, \(target.id)",
                    fix: "Pass the old cluster's properties file as --source, and set kafka.bootstrap.servers to the "
                        + "new cluster")
            ]
        }
        let findings = topics.flatMap { topic in
            partitionCounts(of: topic) + records(of: topic) + beginnings(of: topic)
        }
        let isWhole = !findings.contains { $0.check == .copy }
        return findings
            + (isWhole ? [ClusterFinding(.ok, .copy, "each partition's last record on \(source.id) was copied")] : [])
    }

    private func partitionCounts(of topic: KafkaTopic) -> [ClusterFinding] {
        guard let count = source.partitionCount(of: topic), let copied = target.partitionCount(of: topic),
            count != copied
        else { return [] }
        return [
            ClusterFinding(
                .problem, .topic, of: topic.rawValue, "it has \(copied) partitions, but \(count) on the source",
                fix:
                    "Delete the copy, create it with: sluicectl topics apply --partitions \(count), and mirror it again"
            )
        ]
    }

    private enum Difference {
        case behind(milliseconds: Int64)
        case none, timestamps, headers, empty
    }

    /// Returns the most severe finding among a topic's partitions.
    private func records(of topic: KafkaTopic) -> [ClusterFinding] {
        let differences = source.tails(of: topic).compactMap { place, records in
            records.last.map { (place, difference(of: $0, from: target.tails[place] ?? [])) }
        }
        func first(_ isWanted: (Difference) -> Bool) -> KafkaTopicPartition? {
            differences.first { isWanted($0.1) }?.0
        }
        let again = "and copy the topic again from its beginning into an empty one"
        if let place = first({ if case .timestamps = $0 { true } else { false } }) {
            return [
                problem(
                    topic,
                    "the last record of partition \(place.partition) has a different timestamp than on the source",
                    "Set message.timestamp.type=CreateTime, configure the mirror to keep timestamps, \(again)")
            ]
        }
        if let place = first({ if case .headers = $0 { true } else { false } }) {
            return [
                problem(
                    topic, "the last record of partition \(place.partition) has different headers than on the source",
                    "Configure the mirror to copy headers, \(again)")
            ]
        }
        if let place = first({ if case .empty = $0 { true } else { false } }) {
            return [
                problem(
                    topic, "partition \(place.partition) is empty on this cluster, but has records on the source",
                    "Mirror the topic from the beginning, and keep the partition of each record")
            ]
        }
        let behind = differences.compactMap { if case .behind(let milliseconds) = $0.1 { milliseconds } else { nil } }
        return behind.max().map { [self.behind(topic, partitions: behind.count, $0)] } ?? []
    }

    /// Checks that a copy begins with the source's first records. A mirror that did not start at the beginning lacks
    /// all older records. A compacted copy may also start later without a loss: compaction may have removed its first
    /// record, but not yet the source's.
    private func beginnings(of topic: KafkaTopic) -> [ClusterFinding] {
        let gaps = source.heads.compactMap { place, first -> (partition: KafkaPartition, milliseconds: Int64)? in
            guard place.topic == topic, let from = first.timestampMilliseconds,
                let to = target.heads[place]?.timestampMilliseconds
            else { return nil }
            let (gap, isOverflow) = to.subtractingReportingOverflow(from)
            return !isOverflow && gap > Self.tolerance ? (place.partition, gap) : nil
        }
        guard let worst = gaps.max(by: { $0.milliseconds < $1.milliseconds }) else { return [] }
        return [
            ClusterFinding(
                compacted.contains(topic) ? .warning : .problem, .copy, of: topic.rawValue,
                "the first record of partition \(worst.partition) is \(worst.milliseconds / 1_000) s newer than the "
                    + "source's",
                fix:
                    "Copy the topic again from its beginning into an empty one, unless the mirror started at the "
                    + "beginning and the topic was compacted only afterwards")
        ]
    }

    private func behind(_ topic: KafkaTopic, partitions: Int, _ milliseconds: Int64) -> ClusterFinding {
        ClusterFinding(
            isFinal || milliseconds > Self.tolerance ? .problem : .warning, .copy, of: topic.rawValue,
            "\(partitions) partitions lack the source's last record; they are \(milliseconds / 1_000) s behind",
            fix:
                "Stop all writers on the source, wait for the mirror, and retry; if the mirror lags, check its log"
        )
    }

    private func problem(_ topic: KafkaTopic, _ found: String, _ fix: String) -> ClusterFinding {
        ClusterFinding(.problem, .copy, of: topic.rawValue, found, fix: fix)
    }

    private func difference(of record: KafkaRecord, from tail: [KafkaRecord]) -> Difference {
        guard let last = tail.last else { return .empty }
        let same = tail.filter { $0.key == record.key && $0.value == record.value }
        if same.contains(where: {
            $0.timestampMilliseconds == record.timestampMilliseconds && $0.headers == record.headers
        }) {
            return .none
        }
        if same.contains(where: { $0.timestampMilliseconds == record.timestampMilliseconds }) { return .headers }
        // Identical content may have been written twice. If the copy's last record is later than the source's, the
        // mirror changed its timestamp. Otherwise, the copy's record may be the first of the two, with the second still
        // in flight.
        if same.contains(where: { $0.headers == record.headers && $0.offset == last.offset }), isLater(last, record) {
            return .timestamps
        }
        return .behind(
            milliseconds: max(0, (record.timestampMilliseconds ?? 0) - (last.timestampMilliseconds ?? 0)))
    }

    private func isLater(_ copy: KafkaRecord, _ record: KafkaRecord) -> Bool {
        (copy.timestampMilliseconds ?? 0) > (record.timestampMilliseconds ?? 0)
    }
}
