package import TransparencyLog

/// External knowledge about a log, consulted before the first signature after the log is opened.
package struct LogKnowledge: Sendable {
    /// The last notes that this host signed; nil when none are kept.
    package var heads: (any SignedHeads)?
    /// The newest anchored checkpoints of the log, by its origin. The second argument is whether this host has a
    /// note of the log: an unreachable anchor is an error only if it has none.
    package var anchored: @Sendable (_ origin: String, _ hasNote: Bool) async throws -> [SignedNote]
    /// Evidence that the log existed before, as a clause such as "the group has read its partition"; nil when there is
    /// none. Called only when the store has no checkpoint of the log.
    package var evidence: @Sendable () async throws -> String?
    /// `archive.begin`: the operator accepts the log as it is in the store, whatever was signed before.
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
