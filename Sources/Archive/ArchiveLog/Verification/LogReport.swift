package import ObjectStorage
internal import TransparencyLog

/// The result of verifying a log.
package struct LogReport: Sendable {
    package let log: LogNames
    /// The checkpoint that the log was verified against; nil if none could be read.
    package internal(set) var checkpoint: VerifiedCheckpoint?
    /// Findings in the order of the log; the first finding is the first bad position.
    package internal(set) var findings: [Finding] = []
    /// Number of findings that exceed the limit on ``findings``.
    package internal(set) var moreFindings = 0
    /// Number of leaves that were not read again because an earlier run verified them.
    package internal(set) var leavesBefore = 0
    /// Number of leaves whose hash was recomputed.
    package internal(set) var leaves = 0
    /// Number of objects that match their leaves.
    package internal(set) var objects = 0
    package internal(set) var objectBytes = 0
    /// Number of objects in segments that a signed retention has deleted.
    package internal(set) var prunedObjects = 0
    /// Segments that a signed retention has deleted.
    package internal(set) var deletedSegments: [DeletedSegment] = []
    /// Number of leaves without an object because their subject had been erased before the record arrived.
    package internal(set) var erasedOnArrival = 0
    /// Number of signed past checkpoints that the log continues.
    package internal(set) var checkpoints = 0
    /// Number of external checkpoints that the log continues.
    package internal(set) var anchors = 0
    /// Number of leaves of the largest checkpoint that the log continues, considering external checkpoints, checkpoints
    /// in the anchored log of checkpoints, and checkpoints cosigned by enough witnesses. Nil if the log continues none.
    package internal(set) var anchoredSize: Int?
    /// Number of leaves of the newest checkpoints that the policy's witnesses cosigned and the log continues, in
    /// descending order.
    package var cosignedSizes: [Int] { cosigned.values.sorted(by: >) }
    /// Number of leaves of each witness's newest cosigned checkpoint, keyed by the witness's position in the policy's
    /// list.
    var cosigned: [Int: Int] = [:]
    /// Number of checkpoints in the log of checkpoints that the log continues.
    package internal(set) var loggedCheckpoints = 0
    /// The checkpoints in the leaves, if this is the log of checkpoints.
    var logged = LoggedCheckpoints()
    /// Number of leaves beyond the checkpoint for which objects exist: unfinished work by a writer, or a log that was
    /// rolled back.
    package internal(set) var leavesBeyond = 0
    /// Number of objects that the newest checkpoint does not need, and the names of the first of them.
    package internal(set) var strayObjects = 0
    package internal(set) var strayNames: [ObjectName] = []
    /// Number of offset ranges in which Kafka had no record.
    package internal(set) var emptyRanges = 0
    /// Number of inspection results by label.
    package internal(set) var outcomes: [String: Int] = [:]

    init(log: LogNames) { self.log = log }

    package var isSound: Bool { findings.isEmpty }

    /// Number of leaves that the checkpoint covers.
    package var size: Int { checkpoint?.checkpoint.size ?? 0 }

    mutating func add(_ finding: Finding, limit: Int) {
        if findings.count < limit { findings.append(finding) } else { moreFindings += 1 }
    }
}
