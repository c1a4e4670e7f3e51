package import ObjectStorage
internal import TransparencyLog

/// The result of verifying a log.
package struct LogReport: Sendable {
    package let log: LogNames
    /// The checkpoint that the log was verified against; nil if none could be read.
    package internal(set) var checkpoint: VerifiedCheckpoint?
    /// The findings in log order, starting with the first bad position.
    package internal(set) var findings: [Finding] = []
    /// The number of findings that exceed the limit on ``findings``.
    package internal(set) var moreFindings = 0
    /// The number of leaves that were not read again because an earlier run verified them.
    package internal(set) var leavesBefore = 0
    /// The number of leaves whose hashes were recomputed.
    package internal(set) var leaves = 0
    /// The number of objects that match their leaves.
    package internal(set) var objects = 0
    package internal(set) var objectBytes = 0
    /// The number of objects in segments deleted under a signed retention statement.
    package internal(set) var prunedObjects = 0
    /// The segments deleted under a signed retention statement.
    package internal(set) var deletedSegments: [DeletedSegment] = []
    /// The number of leaves without an object because the subject had been erased before the record arrived.
    package internal(set) var erasedOnArrival = 0
    /// The number of signed past checkpoints with which the log is consistent.
    package internal(set) var checkpoints = 0
    /// The number of external checkpoints with which the log is consistent.
    package internal(set) var anchors = 0
    /// The size of the largest anchored checkpoint with which the log is consistent; nil if there is none. A checkpoint
    /// is anchored if it is external, in the anchored checkpoint log, or cosigned by enough witnesses.
    package internal(set) var anchoredSize: Int?
    /// The sizes of the witnesses' newest cosigned checkpoints with which the log is consistent, in descending order.
    package var cosignedSizes: [Int] { cosigned.values.sorted(by: >) }
    /// The size of each witness's newest cosigned checkpoint, keyed by the witness's position in the policy's list.
    var cosigned: [Int: Int] = [:]
    /// The number of checkpoints in the checkpoint log with which the log is consistent.
    package internal(set) var loggedCheckpoints = 0
    /// The checkpoints in the leaves, if this is the checkpoint log.
    var logged = LoggedCheckpoints()
    /// The number of leaves beyond the checkpoint that have objects: a writer's unfinished work, or a sign that the log
    /// was rolled back.
    package internal(set) var leavesBeyond = 0
    /// The number of objects that the newest checkpoint does not need, and the names of the first few.
    package internal(set) var strayObjects = 0
    package internal(set) var strayNames: [ObjectName] = []
    /// The number of offset ranges in which Kafka had no records.
    package internal(set) var emptyRanges = 0
    /// The number of inspection results, by label.
    package internal(set) var outcomes: [String: Int] = [:]

    init(log: LogNames) { self.log = log }

    /// The number of leaves that the checkpoint covers.
    package var size: Int { checkpoint?.checkpoint.size ?? 0 }

    /// Adds a finding. The first finding of each kind is kept even beyond the limit, because the verdict depends on the
    /// kinds.
    mutating func add(_ finding: Finding, limit: Int) {
        if findings.count < limit || !findings.contains(where: { $0.kind == finding.kind }) {
            findings.append(finding)
        } else {
            moreFindings += 1
        }
    }
}
