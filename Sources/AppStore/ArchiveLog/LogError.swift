package import ObjectStorage
internal import TransparencyLog

/// An error in reading or writing a log.
package struct LogError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure; also used as a metric label.
    package enum Code: String, Sendable, CaseIterable {
        /// The storage failed or did not respond.
        case storage
        /// The storage has no space left.
        case full
        /// Another process is writing the log.
        case locked
        /// The stored checkpoint is not the last one that this writer wrote.
        case otherWriter = "other_writer"
        /// The files do not match the checkpoint.
        case damaged
        /// The log has files but no checkpoint.
        case checkpointMissing = "checkpoint_missing"
        /// The store contains nothing of the log, although the log was signed before.
        case beginRefused = "begin_refused"
        /// The log is in an earlier state than one that was already signed.
        case rolledBack = "rolled_back"
        /// The log's history differs from the history that was signed.
        case forked
        /// The checkpoint is not signed with a configured key.
        case unknownKey = "unknown_key"
        /// The checkpoint could not be signed.
        case signing
        /// The key store cannot save the signed checkpoint, or returns no keys.
        case keyStore = "key_store"
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package init(_ error: ObjectStoreError) {
        switch error.code {
        case .full: self.init(.full, error.description)
        case .locked: self.init(.locked, error.description)
        default: self.init(.storage, error.description)
        }
    }

    /// Creates the error for a log that could not be opened.
    init(_ error: any Error, reading names: LogNames) {
        switch error {
        case let error as LogError: self = error
        case let error as ObjectStoreError: self.init(error)
        case let error as TransparencyLogError where error.code == .unknownKey:
            self.init(.unknownKey, "the checkpoint of \(names.prefix): \(error.message)")
        case let error as TransparencyLogError: self = Self.damaged(names, error.message)
        case let error as ArchiveFormatError: self = Self.damaged(names, error.message)
        case let error as LogReadError where error.code != .storage: self = Self.damaged(names, "\(error)")
        default: self.init(.storage, "\(names.prefix): \(error)")
        }
    }

    package var description: String { message }

    /// Whether the log remains unavailable until an operator makes a decision: a retry does not help.
    package var needsOperator: Bool { [.checkpointMissing, .beginRefused, .rolledBack, .forked].contains(code) }

    static func damaged(_ names: LogNames, _ reason: String) -> LogError {
        LogError(
            .damaged,
            """
            \(names.prefix): \(reason). Nothing is written to it. Find the first damaged object with `sluicectl archive \
            verify`, and restore the log from a copy
            """)
    }

    static func checkpointMissing(_ names: LogNames, _ object: ObjectName) -> LogError {
        LogError(
            .checkpointMissing,
            """
            \(object) exists, and \(names.prefix)/checkpoint does not. Nothing is written. Restore the checkpoint from a \
            copy, or from the newest anchor. To begin the log again, first move all objects below \(names.prefix) elsewhere
            """)
    }

    /// - Parameter evidence: a clause that completes the message.
    static func beginRefused(_ names: LogNames, _ evidence: String) -> LogError {
        LogError(
            .beginRefused,
            """
            \(names.prefix) is not in the archive, and \(evidence). Nothing is written. Mount the volume, correct \
            archive.url, or restore the archive from a copy. If it is lost, begin a new one with an archive.url and an \
            archive.origin of its own, and archive.begin=true for one start
            """)
    }

    static func rolledBack(_ names: LogNames, has size: Int, signed: Int, by place: String) -> LogError {
        LogError(
            .rolledBack,
            """
            \(names.prefix) has \(size) leaves, and \(place) has its checkpoint of \(signed): an earlier state was \
            restored. Nothing is written. Restore the later state. \(Self.continuing)
            """)
    }

    static func laterCopy(_ names: LogNames, has size: Int, copy: ObjectName) -> LogError {
        LogError(
            .rolledBack,
            """
            \(names.prefix)/checkpoint has \(size) leaves, and \(copy) has more: an earlier checkpoint was restored. \
            Nothing is written. Replace it by the largest of \(names.prefix)/checkpoints, and run `sluicectl archive \
            verify`
            """)
    }

    static func forked(_ names: LogNames, signed: Int, by place: String) -> LogError {
        LogError(
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

    static func otherWriter(_ names: LogNames) -> LogError {
        LogError(
            .otherWriter,
            """
            \(names.prefix)/checkpoint is not the last one that this process wrote: another process writes this log. Stop \
            that process, or give it an archive.url of its own
            """)
    }
}
