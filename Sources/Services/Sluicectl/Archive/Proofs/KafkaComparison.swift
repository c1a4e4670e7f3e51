internal import ArchiveLog
internal import Kafka
internal import TransparencyLog

/// Checks that every record still in a topic, up to the last archived offset, has a leaf with the same timestamp.
struct KafkaComparison {
    /// The number of records that have a leaf with the same timestamp.
    private(set) var records = 0
    private(set) var findings: [Finding] = []
    /// Topics that no longer exist in Kafka.
    var absent: [KafkaTopic] = []

    /// - Parameter scan: a scan of the log's topic.
    mutating func compare(_ report: LogReport, _ reader: LogReader, _ scan: TopicScan) async throws {
        let size = report.checkpoint?.checkpoint.size ?? 0
        let place = report.log.partition
        guard size > 0, let marks = scan.watermarks[place] else { return }
        let last = try await reader.leaf(size - 1, size: size).leaf.position.offset
        guard marks.low <= last else { return }
        var leaves = LeafWalk(reader: reader, size: size)
        try await leaves.start(at: marks.low)
        let before = KafkaOffset(rawValue: max(0, marks.low.rawValue) - 1)
        try await scan.run(after: RecordPosition(partition: place.partition, offset: before)) { record in
            guard record.partition == place.partition, record.offset <= last else { return false }
            let leaf = try await leaves.leaf(of: record.offset)
            if leaf?.leaf.timestampMilliseconds == record.timestampMilliseconds, leaf?.leaf.position.kind != .gap {
                records += 1
            } else {
                add(
                    leaf == nil || leaf?.leaf.position.kind == .gap
                        ? Finding(
                            .incomplete, place, offset: record.offset, "this record is in Kafka but not in the archive")
                        : Finding(
                            .tampered, place, leaf: leaf?.index, offset: record.offset,
                            "the record's timestamp in Kafka differs from the leaf's"))
            }
            return true
        }
    }

    /// Keeps the first 20 findings, and the first one of each kind, because the verdict depends on the kinds.
    private mutating func add(_ finding: Finding) {
        guard findings.count < 20 || !findings.contains(where: { $0.kind == finding.kind }) else { return }
        findings.append(finding)
    }
}

/// Reads leaves in offset order, one bundle at a time.
private struct LeafWalk {
    let reader: LogReader
    let size: Int
    private var next = 0
    private var bundle: (index: Int, entries: EntryBundle)?

    init(reader: LogReader, size: Int) {
        self.reader = reader
        self.size = size
    }

    /// Starts with the first leaf at or after an offset.
    mutating func start(at offset: KafkaOffset) async throws {
        var (low, high) = (0, size)
        while low < high {
            let middle = (low + high) / 2
            if try await reader.leaf(middle, size: size).leaf.position.offset < offset {
                low = middle + 1
            } else {
                high = middle
            }
        }
        next = low
    }

    /// Returns the leaf for an offset, or nil if there is none. Offsets must be requested in ascending order.
    mutating func leaf(of offset: KafkaOffset) async throws -> (index: Int, leaf: ArchiveLeaf)? {
        while next < size {
            let index = next / TilePath.fullWidth
            if bundle?.index != index { bundle = (index, try await reader.bundle(index, size: size)) }
            guard let entries = bundle?.entries, next % TilePath.fullWidth < entries.count else { return nil }
            let leaf = try ArchiveLeaf(bytes: Array(entries[next % TilePath.fullWidth]))
            if leaf.position.offset == offset { return (next, leaf) }
            if leaf.position.offset > offset { return nil }
            next += 1
        }
        return nil
    }
}
