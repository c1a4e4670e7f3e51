internal import TransparencyLog

/// A file written by `sluicectl archive verify --save`: the checkpoints up to which the logs were verified.
struct SavedVerification {
    /// The first line of the file, followed by an empty one, if not all payloads were compared with their leaves.
    private static let heading = "payloads not compared\n\n"

    let checkpoints: [SignedNote]
    /// Whether all payloads before the checkpoints were compared with their leaves.
    let hasComparedPayloads: Bool

    init(_ checkpoints: [SignedNote], hasComparedPayloads: Bool) {
        self.checkpoints = checkpoints
        self.hasComparedPayloads = hasComparedPayloads
    }

    init(bytes: [UInt8]) throws(TransparencyLogError) {
        let isLimited = bytes.starts(with: Self.heading.utf8)
        hasComparedPayloads = !isLimited
        checkpoints = try SignedNote.sequence(isLimited ? Array(bytes.dropFirst(Self.heading.utf8.count)) : bytes)
    }

    var bytes: [UInt8] {
        let notes = checkpoints.flatMap { $0.bytes + [UInt8(ascii: "\n")] }
        return hasComparedPayloads ? notes : Array(Self.heading.utf8) + notes
    }
}
