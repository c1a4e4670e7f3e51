package import ObjectStorage
internal import TransparencyLog

extension ArchiveError {
    /// Creates the error for a store that could not be written.
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
            \(names.prefix): \(reason). Nothing is written to it. Find the first damaged object with `sluicectl archive \
            verify`, and restore the log from a copy
            """)
    }

    static func checkpointMissing(_ names: LogNames, _ object: ObjectName) -> ArchiveError {
        ArchiveError(
            .checkpointMissing,
            """
            \(object) exists, and \(names.prefix)/checkpoint does not. Nothing is written. Restore the checkpoint from a \
            copy, or from the newest anchor. To begin the log again, first move all objects below \(names.prefix) elsewhere
            """)
    }

    /// - Parameter evidence: a clause that completes the message.
    static func beginRefused(_ names: LogNames, _ evidence: String) -> ArchiveError {
        ArchiveError(
            .beginRefused,
            """
            \(names.prefix) is not in the archive, and \(evidence). Nothing is written. Mount the volume, correct \
            archive.url, or restore the archive from a copy. If it is lost, begin a new one with an archive.url and an \
            archive.origin of its own, and archive.begin=true for one start
            """)
    }

    static func rolledBack(_ names: LogNames, has size: Int, signed: Int, by place: String) -> ArchiveError {
        ArchiveError(
            .rolledBack,
            """
            \(names.prefix) has \(size) leaves, and \(place) has its checkpoint of \(signed): an earlier state was \
            restored. Nothing is written. Restore the later state. \(Self.continuing)
            """)
    }

    static func laterCopy(_ names: LogNames, has size: Int, copy: ObjectName) -> ArchiveError {
        ArchiveError(
            .rolledBack,
            """
            \(names.prefix)/checkpoint has \(size) leaves, and \(copy) has more: an earlier checkpoint was restored. \
            Nothing is written. Replace it by the largest of \(names.prefix)/checkpoints, and run `sluicectl archive \
            verify`
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
        If it is lost, begin a new archive with an archive.url and an archive.origin of its own. archive.begin=true for \
        one start continues this one, which every anchor will report as forked
        """

    static func otherWriter(_ names: LogNames) -> ArchiveError {
        ArchiveError(
            .otherWriter,
            """
            \(names.prefix)/checkpoint is not the last one that this process wrote: another process writes this log. Stop \
            that process, or give it an archive.url of its own
            """)
    }
}
