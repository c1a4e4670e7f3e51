internal import ArchiveLog
internal import Kafka
internal import Lifecycle
internal import TransparencyLog

/// The result of `sluicectl archive verify --retention` for missing segments.
struct RetentionComparison {
    /// The number of segments whose recorded deletion follows the policy.
    private(set) var segments = 0
    private(set) var findings: [Finding] = []

    /// Compares the deletions of all logs with the archived records from the erasures topic. The logs of the erasures
    /// topic must have been verified in the same run.
    ///
    /// - Parameters:
    ///   - retention: the retention required by the policy, in milliseconds.
    ///   - erasures: the logs of the erasures topic.
    /// - Throws: ``ArchiveError``.
    init(_ report: ArchiveReport, retention: Int64, erasures: [LogReader]) async throws(ArchiveError) {
        var check = RetentionCheck(retention: retention)
        for reader in erasures { try await Self.read(reader, into: &check) }
        for log in report.logs {
            guard !log.deletedSegments.isEmpty, let origin = log.checkpoint?.checkpoint.origin else { continue }
            let found = check.findings(log.deletedSegments, of: log.log, origin: origin)
            findings += found
            segments += log.deletedSegments.count - found.count
        }
    }

    private static func read(_ reader: LogReader, into check: inout RetentionCheck) async throws(ArchiveError) {
        let size = try await reader.checkpoint()?.checkpoint.size ?? 0
        for index in 0..<TilePath.bundleCount(size: size) {
            let bundle = try await reader.bundle(index, size: size)
            guard let segment = try? await reader.segment(index, size: size) else {
                check.isComplete = false
                continue
            }
            for position in 0..<min(bundle.count, segment.objects.count) {
                guard let leaf = try? ArchiveLeaf(bytes: Array(bundle[position])), leaf.position.kind == .erasure,
                    let content = try? ArchiveObject.open(Array(segment.bytes[segment.objects[position]]), of: leaf),
                    case .record(let record) = content, let value = record.value,
                    let step = RetentionRecord(json: value)
                else { continue }
                check.add(step, leaf)
            }
        }
    }
}
