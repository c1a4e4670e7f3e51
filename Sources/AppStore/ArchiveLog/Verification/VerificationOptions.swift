/// The scope of a verification.
package struct VerificationOptions: Sendable {
    /// The archive's public keys; nil to verify no signatures.
    package var verifiers: ArchiveVerifiers?
    /// External checkpoints, which the logs must continue; nil to compare none. If given, a log with leaves but without
    /// an external checkpoint is a finding.
    package var anchors: AnchoredCheckpoints?
    /// The witnesses and their quorum, for the log of checkpoints or, in an archive without one, for each log; nil to
    /// ignore cosignatures.
    package var witnesses: WitnessPolicy?
    /// Checkpoints up to which the logs were verified earlier; nil to read them from their first leaf. Each log is read
    /// from its checkpoint on, and must continue it. A log without such a checkpoint is read entirely.
    package var verifiedBefore: AnchoredCheckpoints?
    /// Whether the objects are read and compared with their leaves.
    package var checksObjects = true
    /// Restricts the check of objects to leaves archived at or after this time, in milliseconds since 1970; the tree is
    /// always verified entirely.
    package var since: Int64?
    /// An additional check of each object that matches its leaf.
    package var inspect: (@Sendable (InspectedObject) async -> InspectionOutcome)?
    /// Called as a log is read, with the number of leaves so far and in total; from one task at a time.
    package var progress: (@Sendable (LogNames, Int, Int) -> Void)?
    /// Number of bundles, with their tiles and segments, that are read and hashed concurrently; it determines the
    /// memory use.
    package var window = 6
    /// Maximum number of findings kept per log.
    package var maximumFindings = 20

    package init(verifiers: ArchiveVerifiers? = nil) { self.verifiers = verifiers }
}

/// An object whose length and digest match its leaf.
package struct InspectedObject: Sendable {
    package let log: LogNames
    package let index: Int
    package let leaf: ArchiveLeaf
    package let object: [UInt8]
}

/// The result of inspecting an object.
package struct InspectionOutcome: Hashable, Sendable {
    /// Label under which the object is counted, from a small set.
    package let label: String
    /// The problem, if it is a finding; nil otherwise.
    package let problem: String?
    /// The kind of finding for the problem.
    package let kind: Finding.Kind

    package init(_ label: String, problem: String? = nil, kind: Finding.Kind = .tampered) {
        self.label = label
        self.problem = problem
        self.kind = kind
    }
}
