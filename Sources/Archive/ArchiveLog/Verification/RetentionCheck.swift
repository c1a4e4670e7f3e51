internal import KafkaModel
internal import TransparencyLog

/// A missing segment below a signed retention statement's minimum.
package struct DeletedSegment: Hashable, Sendable {
    /// The index of the segment's entry bundle.
    package let index: Int
    /// The time at which the segment's newest record was archived, in milliseconds since 1970.
    package let newestArchivedAt: Int64

    package init(index: Int, newestArchivedAt: Int64) {
        self.index = index
        self.newestArchivedAt = newestArchivedAt
    }
}

/// Verifies deletions against the retention records, which are leaves in the erasures topic's log. The deletion of a
/// segment must have been announced, and a recorded step must have performed it at least a day later. At that time, the
/// segment must have been old enough, and must not have been listed as retained.
package struct RetentionCheck: Sendable {
    /// The maximum difference between a host's clock and Kafka's, in milliseconds.
    static let clockTolerance: Int64 = 3_600_000

    /// The retention period for payloads in milliseconds.
    private let retention: Int64
    /// The steps for each origin, in log order.
    private var steps: [String: [RetentionRecord]] = [:]
    /// The steps, by origin, that state a later time than their record's time in Kafka or in the archive.
    private var postdated: [String: [RetentionRecord]] = [:]
    /// Whether all records in the erasures topic could be read.
    package var isComplete = true

    package init(retention: Int64) { self.retention = retention }

    /// Adds a step. Steps must be added in log order. `leaf` is the leaf for the step's record.
    package mutating func add(_ record: RetentionRecord, _ leaf: ArchiveLeaf) {
        let latest = min(leaf.timestampMilliseconds ?? leaf.archivedAtMilliseconds, leaf.archivedAtMilliseconds)
        guard record.atMilliseconds <= latest.addingReportingOverflow(Self.clockTolerance).partialValue else {
            postdated[record.origin, default: []].append(record)
            return
        }
        steps[record.origin, default: []].append(record)
    }

    /// Returns the first problem with each deleted segment of a log.
    package func findings(_ segments: [DeletedSegment], of log: LogNames, origin: String) -> [Finding] {
        let steps = steps[origin] ?? []
        return segments.compactMap { segment in
            problem(segment, steps, postdated[origin] ?? []).map { kind, message in
                Finding(
                    kind, log.partition, object: try? log.segment(index: segment.index),
                    leaf: segment.index * TilePath.fullWidth, message)
            }
        }
    }

    private func problem(
        _ segment: DeletedSegment, _ steps: [RetentionRecord], _ postdated: [RetentionRecord]
    ) -> (Finding.Kind, String)? {
        let end = (segment.index + 1) * TilePath.fullWidth
        let covers = { (step: RetentionRecord) in step.action == .delete && step.minimum >= end }
        let keeps = { (step: RetentionRecord) in
            step.action == .delete && step.kept?.contains { $0.contains(segment.index) } ?? false
        }
        // If a later step still lists the segment as kept, no earlier step has deleted it.
        let afterKept = steps.lastIndex(where: keeps).map { $0 + 1 } ?? 0
        guard let position = steps.indices.first(where: { $0 >= afterKept && covers(steps[$0]) }) else {
            if afterKept > 0 { return (.tampered, "the segment is missing, but the last retention step kept it") }
            if postdated.contains(where: covers) {
                return (.tampered, "the time in the deletion's record is later than the record's Kafka timestamp")
            }
            return (
                .incomplete,
                isComplete
                    ? "the segment is missing, and no archived retention record covers its deletion"
                    : "the segment is missing, and some records in the erasures topic could not be read"
            )
        }
        return problem(segment, deletedBy: steps[position], announced: steps[..<position], end: end)
    }

    private func problem(
        _ segment: DeletedSegment, deletedBy step: RetentionRecord, announced: ArraySlice<RetentionRecord>, end: Int
    ) -> (Finding.Kind, String)? {
        let deletedAt = step.atMilliseconds
        let age = deletedAt.subtractingReportingOverflow(segment.newestArchivedAt).partialValue
        guard age >= retention else {
            return (.tampered, "the segment was deleted \(days(age)) after archiving instead of \(days(retention))")
        }
        let latest = deletedAt.subtractingReportingOverflow(LogPruning.minimumDelay).partialValue
        guard announced.contains(where: { $0.announced ?? 0 >= end && $0.atMilliseconds <= latest }) else {
            return (.tampered, "the segment's deletion was not announced a day in advance")
        }
        return nil
    }

    private func days(_ milliseconds: Int64) -> String {
        let hours = milliseconds / 3_600_000
        return hours % 24 == 0 ? "\(hours / 24)d" : "\(hours / 24)d\(hours % 24)h"
    }
}
