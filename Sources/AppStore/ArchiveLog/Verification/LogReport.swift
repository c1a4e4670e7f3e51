package import ObjectStorage
internal import TransparencyLog

/// What came of verifying a log.
package struct LogReport: Sendable {
    package let log: LogNames
    /// The checkpoint that it was verified against; nil when none could be read.
    package internal(set) var checkpoint: VerifiedCheckpoint?
    /// In the order of the log; the first is the first bad place.
    package internal(set) var findings: [Finding] = []
    /// Findings beyond those that are kept.
    package internal(set) var moreFindings = 0
    /// Leaves that were not read again, because they were verified before.
    package internal(set) var leavesBefore = 0
    /// Leaves whose hash was recomputed.
    package internal(set) var leaves = 0
    /// Objects that are as their leaves say.
    package internal(set) var objects = 0
    package internal(set) var objectBytes = 0
    /// Objects of segments that a signed retention has deleted.
    package internal(set) var prunedObjects = 0
    /// The segments of them.
    package internal(set) var deletedSegments: [DeletedSegment] = []
    /// Leaves without an object, because their subject had been erased before the record came.
    package internal(set) var erasedOnArrival = 0
    /// Signed checkpoints of the past that the log continues.
    package internal(set) var checkpoints = 0
    /// Checkpoints from elsewhere that the log continues.
    package internal(set) var anchors = 0
    /// Leaves of the largest checkpoint from elsewhere, or of the anchored log of checkpoints, that the log continues; nil when
    /// it continues none.
    package internal(set) var anchoredSize: Int?
    /// Leaves of the newest checkpoints that witnesses of the policy cosigned and the log continues, the largest first.
    package var cosignedSizes: [Int] { cosigned.values.sorted(by: >) }
    /// The same by the position of the witness in the policy's list.
    var cosigned: [Int: Int] = [:]
    /// Checkpoints in the log of checkpoints that the log continues.
    package internal(set) var loggedCheckpoints = 0
    /// The statements of the leaves, where this is the log of checkpoints.
    var logged = LoggedCheckpoints()
    /// Leaves beyond the checkpoint that objects are there for: unfinished work of a writer, or a log that was rolled back.
    package internal(set) var leavesBeyond = 0
    /// Objects that the newest checkpoint does not need, and the names of the first of them.
    package internal(set) var strayObjects = 0
    package internal(set) var strayNames: [ObjectName] = []
    /// Ranges of offsets in which Kafka had no record.
    package internal(set) var emptyRanges = 0
    /// What the inspection of objects gave, by label.
    package internal(set) var outcomes: [String: Int] = [:]

    init(log: LogNames) { self.log = log }

    package var isSound: Bool { findings.isEmpty }

    /// Leaves that the checkpoint covers.
    package var size: Int { checkpoint?.checkpoint.size ?? 0 }

    mutating func add(_ finding: Finding, limit: Int) {
        if findings.count < limit { findings.append(finding) } else { moreFindings += 1 }
    }
}
