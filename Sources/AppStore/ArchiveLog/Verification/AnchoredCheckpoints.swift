package import TransparencyLog

/// Checkpoints from outside the archive, for comparison with its logs.
///
/// Only checkpoints that a given key signed count. All others are counted and named, and are never findings: whoever may
/// write where anchors are may write anything there.
package struct AnchoredCheckpoints: Sendable {
    /// Origins of checkpoints without a valid signature that are named one by one.
    private static let maximumNamed = 20

    /// Roots by size, of one origin.
    private struct Log {
        let origin: String
        var roots: [Int: [MerkleHash]] = [:]
    }

    private let verifiers: ArchiveVerifiers?
    /// By the bytes of the origin.
    private var logs: [[UInt8]: Log] = [:]
    /// Checkpoints that count.
    package private(set) var count = 0
    /// Checkpoints that no given key signed, by origin.
    package private(set) var unverified: [String: Int] = [:]
    /// Notes that are no checkpoint, and unverified checkpoints of further origins.
    package private(set) var otherNotes = 0

    /// - Parameter verifiers: the archive's public keys; without them no checkpoint counts.
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
        // An empty log proves nothing about a later one.
        guard checkpoint.size > 0 else { return }
        let key = Array(checkpoint.origin.utf8)
        var log = logs[key] ?? Log(origin: checkpoint.origin)
        guard log.roots[checkpoint.size]?.contains(checkpoint.root) != true else { return }
        log.roots[checkpoint.size, default: []].append(checkpoint.root)
        logs[key] = log
        count += 1
    }

    /// Adds what may be a note; anything else is counted.
    package mutating func add(bytes: [UInt8]) {
        if let note = try? SignedNote(bytes: bytes) { add(note) } else { otherNotes += 1 }
    }

    /// The origins of checkpoints that count, in ascending order.
    package var origins: [String] { logs.values.map(\.origin).sorted() }

    /// Sizes and roots of the checkpoints of one origin that count, in ascending order of the sizes.
    func checkpoints(of origin: String) -> [AnchoredRoot] {
        let roots = logs[Array(origin.utf8)]?.roots ?? [:]
        return roots.flatMap { size, roots in roots.map { AnchoredRoot(size: size, root: $0) } }
            .sorted { $0.size < $1.size }
    }

    /// Leaves of the largest checkpoint of an origin; 0 without one.
    func size(of origin: String) -> Int { logs[Array(origin.utf8)]?.roots.keys.max() ?? 0 }
}

/// The root that a log must have at a size.
struct AnchoredRoot: Sendable {
    /// Who states it.
    enum Source: Sendable, Equatable {
        /// A checkpoint from elsewhere.
        case elsewhere
        /// A checkpoint that a witness of the policy cosigned, by its position in the policy's list.
        case witness(Int)
        /// A checkpoint up to which the log was verified before.
        case verifiedBefore
        /// A leaf of the log of checkpoints that a checkpoint from elsewhere covers.
        case anchoredCheckpointLog
        /// A leaf of the log of checkpoints that nothing from elsewhere covers.
        case checkpointLog

        /// Whether whoever changes the archive cannot change it.
        var isElsewhere: Bool { self == .elsewhere || self == .anchoredCheckpointLog }
    }

    let size: Int
    let root: MerkleHash
    var source = Source.elsewhere
}
