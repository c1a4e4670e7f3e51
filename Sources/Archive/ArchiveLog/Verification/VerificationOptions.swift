package import KafkaModel

/// The scope of a verification run.
package struct VerificationOptions: Sendable {
    /// The archive's public keys; nil means that no signatures are verified.
    package var verifiers: ArchiveVerifiers?
    /// External checkpoints with which the logs must be consistent; nil means that none are compared. If they are
    /// given, a non-empty log without an external checkpoint is a finding.
    package var anchors: AnchoredCheckpoints?
    /// The witnesses and their quorum; nil means that cosignatures are ignored. They apply to the checkpoint log or, in
    /// an archive without one, to each log.
    package var witnesses: WitnessPolicy?
    /// The checkpoints up to which an earlier run verified the logs; nil means that logs are read from their first
    /// leaf. Each log is read starting at its checkpoint and must be consistent with it. A log without such a
    /// checkpoint is read completely.
    package var verifiedBefore: AnchoredCheckpoints?
    /// The topics whose logs are read from their first leaf despite ``verifiedBefore``.
    package var topicsReadCompletely: Set<KafkaTopic> = []
    /// Whether objects are read and compared with their leaves.
    package var checksObjects = true
    /// Limits object checks to leaves archived at or after this time, in milliseconds since 1970. The tree is always
    /// verified completely.
    package var since: Int64?
    /// An additional check for each object that matches its leaf.
    package var inspect: (@Sendable (InspectedObject) async -> InspectionOutcome)?
    /// Called while a log is being read, with the number of leaves read so far and the total. Never called
    /// concurrently.
    package var progress: (@Sendable (LogNames, Int, Int) -> Void)?
    /// The number of bundles (with their tiles and segments) that are read and hashed concurrently, which determines
    /// memory use.
    package var window = 6
    /// The maximum number of findings kept per log, not counting the first finding of each kind.
    package var maximumFindings = 20

    package init(verifiers: ArchiveVerifiers? = nil) { self.verifiers = verifiers }
}

/// An object that matches the length and digest in its leaf.
package struct InspectedObject: Sendable {
    package let log: LogNames
    package let index: Int
    package let leaf: ArchiveLeaf
    package let object: [UInt8]
}

/// The result of inspecting an object.
package struct InspectionOutcome: Hashable, Sendable {
    /// The label under which the object is counted, from a small set.
    package let label: String
    /// The problem, if there is a finding; nil otherwise.
    package let problem: String?
    /// The kind of finding to report for the problem.
    package let kind: Finding.Kind

    package init(_ label: String, problem: String? = nil, kind: Finding.Kind = .tampered) {
        self.label = label
        self.problem = problem
        self.kind = kind
    }
}
