package import TransparencyLog

/// Checkpoints from outside the archive, for comparison with its logs.
///
/// Only checkpoints signed with one of the given keys are used. All others are counted and listed but are never
/// findings, because anyone with write access to the anchors can store anything there.
package struct AnchoredCheckpoints: Sendable {
    /// The maximum number of origins listed individually for checkpoints without a valid signature.
    private static let maximumNamed = 20

    /// The roots of one origin, by size.
    private struct Log {
        let origin: String
        var roots: [Int: [MerkleHash]] = [:]
    }

    private let verifiers: ArchiveVerifiers?
    /// The logs, keyed by the UTF-8 bytes of their origin.
    private var logs: [[UInt8]: Log] = [:]
    /// The number of checkpoints in use.
    package private(set) var count = 0
    /// The number of checkpoints not signed with any of the given keys, by origin.
    package private(set) var unverified: [String: Int] = [:]
    /// The number of notes that are not checkpoints, plus the number of unverified checkpoints with origins missing
    /// from ``unverified``.
    package private(set) var otherNotes = 0

    /// - Parameter verifiers: the archive's public keys; nil means that no checkpoint is used.
    package init(_ notes: [SignedNote] = [], verifiers: ArchiveVerifiers?) {
        self.verifiers = verifiers
        for note in notes { add(note) }
    }

    package mutating func add(_ note: SignedNote) {
        guard let checkpoint = try? Checkpoint(text: note.text) else { return otherNotes += 1 }
        guard let verifiers, (try? VerifiedCheckpoint(note, of: nil, verifiers: verifiers)) != nil else {
            let isNamed = unverified[checkpoint.origin] != nil || unverified.count < Self.maximumNamed
            if isNamed { unverified[checkpoint.origin, default: 0] += 1 } else { otherNotes += 1 }
            return
        }
        // A checkpoint of an empty log proves nothing about a later one.
        guard checkpoint.size > 0 else { return }
        let key = Array(checkpoint.origin.utf8)
        var log = logs[key] ?? Log(origin: checkpoint.origin)
        guard log.roots[checkpoint.size]?.contains(checkpoint.root) != true else { return }
        log.roots[checkpoint.size, default: []].append(checkpoint.root)
        logs[key] = log
        count += 1
    }

    /// Adds bytes that may be a note. Anything else is only counted.
    package mutating func add(bytes: [UInt8]) {
        if let note = try? SignedNote(bytes: bytes) { add(note) } else { otherNotes += 1 }
    }

    /// The origins of the checkpoints in use, in ascending order.
    package var origins: [String] { logs.values.map(\.origin).sorted() }

    /// Returns the sizes and roots of an origin's checkpoints in use, in ascending order of size.
    func checkpoints(of origin: String) -> [AnchoredRoot] {
        let roots = logs[Array(origin.utf8)]?.roots ?? [:]
        return roots.flatMap { size, roots in roots.map { AnchoredRoot(size: size, root: $0) } }
            .sorted { $0.size < $1.size }
    }

    /// Returns the tree size of an origin's largest checkpoint, or 0 if it has none.
    func size(of origin: String) -> Int { logs[Array(origin.utf8)]?.roots.keys.max() ?? 0 }
}

/// A root that a log must have at a given size.
struct AnchoredRoot: Sendable {
    /// The source that states the root.
    enum Source: Sendable, Equatable {
        /// An external checkpoint.
        case elsewhere
        /// A checkpoint cosigned by the witness at this position in the policy's list.
        case witness(Int)
        /// The checkpoint up to which an earlier run verified the log.
        case verifiedBefore
        /// A leaf of the checkpoint log, covered by an external checkpoint.
        case anchoredCheckpointLog
        /// A leaf of the checkpoint log, not covered by any external checkpoint.
        case checkpointLog

        /// Whether the source is safe from an attacker who can change the archive.
        var isElsewhere: Bool { self == .elsewhere || self == .anchoredCheckpointLog }
    }

    let size: Int
    let root: MerkleHash
    var source = Source.elsewhere
}
