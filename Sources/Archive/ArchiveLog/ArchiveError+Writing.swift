package import ObjectStorage
internal import TransparencyLog

extension ArchiveError {
    /// Creates the error for a store that could not be written to.
    package init(_ error: ObjectStoreError) {
        switch error.code {
        case .full: self.init(.full, error.description)
        case .locked: self.init(.locked, error.description)
        default: self.init(.storage, error.description)
        }
    }

    /// Creates the error for a log that could not be opened, appended to or pruned.
    init(_ error: any Error, writing names: LogNames) {
        switch error {
        case let error as ArchiveError: self = error.whileWriting(names)
        case let error as ObjectStoreError: self.init(error)
        case let error as TransparencyLogError where error.code == .unknownKey:
            self.init(.unknownKey, "the checkpoint of \(names.prefix): \(error.message)")
        case let error as TransparencyLogError: self = Self.damaged(names, error.message)
        default: self.init(.storage, "\(names.prefix): \(error)")
        }
    }

    /// Maps this error to one that a writer reports. Writing errors are returned unchanged, a malformed or missing
    /// object becomes `damaged`, and anything else becomes a storage error.
    private func whileWriting(_ names: LogNames) -> ArchiveError {
        if object == nil, Code.writing.contains(code) { return self }
        if Code.formats.contains(code) { return Self.damaged(names, message) }
        if isReadFailure, code != .storage { return Self.damaged(names, description) }
        return ArchiveError(.storage, "\(names.prefix): \(self)")
    }

    static func damaged(_ names: LogNames, _ reason: String) -> ArchiveError {
        ArchiveError(
            .damaged,
            """
            \(names.prefix): \(reason). Nothing is written to this log. Find the first damaged object with `sluicectl \
            archive verify`, and restore the log from a copy
            """)
    }

    static func checkpointMissing(_ names: LogNames, _ object: ObjectName) -> ArchiveError {
        ArchiveError(
            .checkpointMissing,
            """
            \(object) exists, but \(names.prefix)/checkpoint does not. Nothing is written. Restore the checkpoint from \
            a copy or from the newest anchor. To start the log over, first move all objects below \(names.prefix) \
            elsewhere
            """)
    }

    /// - Parameter evidence: the reason for the refusal, as a clause that follows "but" in the message.
    static func beginRefused(_ names: LogNames, _ evidence: String) -> ArchiveError {
        ArchiveError(
            .beginRefused,
            """
            \(names.prefix) is not in the archive, but \(evidence). Nothing is written. Mount the volume, correct \
            archive.url, or restore the archive from a copy. If the archive is lost, begin a new one with a new \
            archive.url, a new archive.origin, and archive.begin=true for the first start
            """)
    }

    static func rolledBack(_ names: LogNames, has size: Int, signed: Int, by place: String) -> ArchiveError {
        ArchiveError(
            .rolledBack,
            """
            \(names.prefix) has \(size) leaves, but \(place) has a checkpoint with \(signed) leaves: an earlier state \
            was restored. Nothing is written. Restore the later state. \(Self.continuing)
            """)
    }

    static func laterCopy(_ names: LogNames, has size: Int, copy: ObjectName) -> ArchiveError {
        ArchiveError(
            .rolledBack,
            """
            \(names.prefix)/checkpoint has \(size) leaves, but \(copy) has more: an earlier checkpoint was restored. \
            Nothing is written. Replace the checkpoint with the largest one in \(names.prefix)/checkpoints, and run \
            `sluicectl archive verify`
            """)
    }

    static func forked(_ names: LogNames, signed: Int, by place: String) -> ArchiveError {
        ArchiveError(
            .forked,
            """
            \(names.prefix) does not begin with the \(signed) leaves of its checkpoint in \(place): the log was forked. \
            Nothing is written. Restore the signed log. \(Self.continuing)
            """)
    }

    private static let continuing = """
        If that is lost, begin a new archive with a new archive.url and archive.origin. Starting once with \
        archive.begin=true continues this one instead, but every anchor will report it as forked
        """

    static func otherWriter(_ names: LogNames) -> ArchiveError {
        ArchiveError(
            .otherWriter,
            """
            \(names.prefix)/checkpoint is not the last one that this process wrote: another process is writing this \
            log. Stop that process, or give it a different archive.url
            """)
    }
}
