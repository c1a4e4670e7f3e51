package import ArchiveFormat

/// What is verified of a log.
package struct VerificationOptions: Sendable {
    /// The archive's public keys; nil verifies no signature.
    package var verifiers: ArchiveVerifiers?
    /// Checkpoints from elsewhere, which the logs must continue; nil when none are compared. Where they are, a log with
    /// leaves that none of them is of is a finding.
    package var anchors: AnchoredCheckpoints?
    /// The witnesses and their quorum, for the log of checkpoints or, in an archive without one, for each log; nil looks at no
    /// cosignature.
    package var witnesses: WitnessPolicy?
    /// Checkpoints up to which the logs were verified before; nil reads them from their first leaf. From there on each log is
    /// read again, and must continue them. A log that none of them is of is read as a whole.
    package var verifiedBefore: AnchoredCheckpoints?
    /// Whether the objects are read and compared with their leaves.
    package var checksObjects = true
    /// Only objects of leaves archived from then on, in milliseconds since 1970; the tree is always verified as a whole.
    package var since: Int64?
    /// What else is asked of each object that is as its leaf says.
    package var inspect: (@Sendable (InspectedObject) async -> InspectionOutcome)?
    /// Called as a log is read, with its leaves so far and in all; from one task at a time.
    package var progress: (@Sendable (LogNames, Int, Int) -> Void)?
    /// So many bundles with their tiles and segments are read and hashed side by side; they are what memory holds.
    package var window = 6
    /// So many findings are kept of a log.
    package var maximumFindings = 20

    package init(verifiers: ArchiveVerifiers? = nil) { self.verifiers = verifiers }
}

/// An object whose length and digest are those of its leaf.
package struct InspectedObject: Sendable {
    package let log: LogNames
    package let index: Int
    package let leaf: ArchiveLeaf
    package let object: [UInt8]
}

/// What came of it.
package struct InspectionOutcome: Hashable, Sendable {
    /// Counted; from a small set.
    package let label: String
    /// Why it is a finding; nil when it is none.
    package let problem: String?
    /// The kind of finding that the problem is.
    package let kind: Finding.Kind

    package init(_ label: String, problem: String? = nil, kind: Finding.Kind = .tampered) {
        self.label = label
        self.problem = problem
        self.kind = kind
    }
}
