package import TransparencyLog

/// Knowledge about a log from outside of its store, which is asked before the first signature after an opening.
package struct LogKnowledge: Sendable {
    /// The notes that this host signed last; nil when none are kept.
    package var heads: (any SignedHeads)?
    /// The newest checkpoints of the log in anchors, by its origin. The second argument says whether this host has a note of
    /// the log: an anchor that cannot be reached is an error only where it has none.
    package var anchored: @Sendable (_ origin: String, _ hasNote: Bool) async throws -> [SignedNote]
    /// Why the log must have existed before, in a clause such as "the group has read its partition"; nil when nothing says so.
    /// Asked only when the store has no checkpoint of the log.
    package var evidence: @Sendable () async throws -> String?
    /// `archive.begin`: the operator wants the log as the store has it, whatever was signed before.
    package var mayBegin: Bool

    package init(
        heads: (any SignedHeads)? = nil,
        anchored: @escaping @Sendable (_ origin: String, _ hasNote: Bool) async throws -> [SignedNote] = { _, _ in [] },
        evidence: @escaping @Sendable () async throws -> String? = { nil }, mayBegin: Bool = false
    ) {
        self.heads = heads
        self.anchored = anchored
        self.evidence = evidence
        self.mayBegin = mayBegin
    }
}
