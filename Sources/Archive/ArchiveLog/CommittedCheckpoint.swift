internal import ObjectStorage
internal import TransparencyLog

/// An object's bytes and its name in the store.
struct NamedBytes: Sendable {
    let name: ObjectName
    let bytes: [UInt8]
}

/// A log's checkpoint, as kept by the log's writer.
struct CommittedCheckpoint: Sendable {
    let size: Int
    /// Number of leaves of the newest earlier checkpoint that has a copy in `checkpoints/`; 0 if there is none.
    let previous: Int
    /// Time of the cosignature, in seconds since 1970.
    let time: Int
    /// Version of the object `checkpoint`; nil before the log has one.
    var version: ObjectVersion?
    let note: SignedNote

    /// The bytes of the note; nil before the log has a checkpoint.
    var publishedBytes: [UInt8]? { version == nil ? nil : note.bytes }
}

/// A signed checkpoint that does not have all its objects written yet.
struct PendingCheckpoint: Sendable {
    /// The signed checkpoint. Until it is published, `version` is the previous checkpoint's version.
    var checkpoint: CommittedCheckpoint
    /// Whether the object `checkpoint` contains this checkpoint.
    var isPublished = false
    /// Objects to write after the checkpoint, if the commit is staged.
    var objects: [NamedBytes] = []
    var staged: ObjectName?
    /// Number of full tiles and segments in memory, and of appended bytes, that the checkpoint covers. The writer
    /// discards them after the commit.
    var fullObjects = 0
    var objectBytes = 0
}

/// A copy of a checkpoint in `checkpoints/`.
struct KeptCopy: Sendable {
    let size: Int
    /// Time of the checkpoint, in seconds since 1970.
    let time: Int
}
