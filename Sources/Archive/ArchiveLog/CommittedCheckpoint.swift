internal import ObjectStorage
internal import TransparencyLog

/// An object's bytes and its name in the store.
struct NamedBytes: Sendable {
    let name: ObjectName
    let bytes: [UInt8]
}

/// A log's checkpoint in the writer's memory.
struct CommittedCheckpoint: Sendable {
    let size: Int
    /// The tree size of the newest earlier checkpoint with a copy in `checkpoints/`; 0 if there is none.
    let previous: Int
    /// The time of the cosignature, in seconds since 1970.
    let time: Int
    /// The version of the `checkpoint` object; nil if the log has none yet.
    var version: ObjectVersion?
    let note: SignedNote

    /// The bytes of the published note; nil if the log has no checkpoint yet.
    var publishedBytes: [UInt8]? { version == nil ? nil : note.bytes }
}

/// A signed checkpoint whose objects have not all been written yet.
struct PendingCheckpoint: Sendable {
    /// The signed checkpoint. Until it is published, `version` is the previous checkpoint's version.
    var checkpoint: CommittedCheckpoint
    /// Whether the `checkpoint` object contains this checkpoint.
    var isPublished = false
    /// The objects to write after the checkpoint, if the commit is staged.
    var objects: [NamedBytes] = []
    var staged: ObjectName?
    /// The number of full tiles and segments, and of appended bytes, that the checkpoint covers. After the commit, the
    /// writer discards those objects from memory and subtracts those bytes from its count.
    var fullObjects = 0
    var objectBytes = 0
}

/// A copy of a checkpoint in `checkpoints/`.
struct KeptCopy: Sendable {
    let size: Int
    /// The time of the checkpoint, in seconds since 1970.
    let time: Int
}
