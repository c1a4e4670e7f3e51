package import TransparencyLog

/// External information about a log, consulted before the first signature after the log is opened.
package struct LogKnowledge: Sendable {
    /// The last notes that this host signed; nil if none are stored.
    package var heads: (any SignedHeads)?
    /// Returns the newest anchored checkpoints of the log with the given origin. The second argument states whether
    /// this host has a note for the log; if it has one, an unreachable anchor is not an error.
    package var anchored: @Sendable (_ origin: String, _ hasNote: Bool) async throws -> [SignedNote]
    /// Returns evidence that the log existed before, as a clause such as "the group has read its partition", or nil if
    /// there is none. Called only if the store has no checkpoint for the log.
    package var evidence: @Sendable () async throws -> String?
    /// Whether the operator accepts the log as it is in the store, regardless of earlier signatures (`archive.begin`).
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
