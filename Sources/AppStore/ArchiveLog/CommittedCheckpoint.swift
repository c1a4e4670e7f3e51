internal import ObjectStorage
internal import TransparencyLog

/// An object with the name that it has, or will have.
struct NamedBytes: Sendable {
    let name: ObjectName
    let bytes: [UInt8]
}

/// A checkpoint of a log as its writer has it.
struct CommittedCheckpoint: Sendable {
    let size: Int
    /// Leaves of the newest copy of a checkpoint before it; 0 when there was none.
    let previous: Int
    /// The time of its cosignature, in seconds since 1970.
    let time: Int
    /// The version of the object `checkpoint`; nil before a log has one.
    var version: ObjectVersion?
    let note: SignedNote

    /// The bytes of the note; nil before the log has a checkpoint.
    var publishedBytes: [UInt8]? { version == nil ? nil : note.bytes }
}

/// A signed checkpoint between its signature and the last object that it covers.
struct PendingCheckpoint: Sendable {
    /// Its version is that of the checkpoint before until it is published.
    var checkpoint: CommittedCheckpoint
    /// Whether the object `checkpoint` is this one.
    var isPublished = false
    /// Written after the checkpoint, where there is a staged object.
    var objects: [NamedBytes] = []
    var staged: ObjectName?
    /// Full objects and bytes that the writer need not hold any longer.
    var fullObjects = 0
    var objectBytes = 0
}

/// A copy of a checkpoint in `checkpoints/`.
struct KeptCopy: Sendable {
    let size: Int
    /// In seconds since 1970.
    let time: Int
}
