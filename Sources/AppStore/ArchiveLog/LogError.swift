internal import ArchiveFormat
package import ObjectStorage
internal import TransparencyLog

/// Why a log cannot be read or written.
package struct LogError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; the label of a metric.
    package enum Code: String, Sendable, CaseIterable {
        /// The storage failed or gave no answer.
        case storage
        /// The storage has no space left.
        case full
        /// Another process writes the log.
        case locked
        /// The checkpoint is not what this writer wrote last.
        case otherWriter = "other_writer"
        /// The files do not fit the checkpoint.
        case damaged
        /// Files of a log are there and its checkpoint is not.
        case checkpointMissing = "checkpoint_missing"
        /// The checkpoint is not signed by a configured key.
        case unknownKey = "unknown_key"
        /// The checkpoint could not be signed.
        case signing
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

    /// Why a log could not be opened.
    init(_ error: any Error, reading names: LogNames) {
        switch error {
        case let error as LogError: self = error
        case let error as ObjectStoreError: self.init(error)
        case let error as TransparencyLogError where error.code == .unknownKey:
            self.init(.unknownKey, "the checkpoint of \(names.prefix): \(error.message)")
        case let error as TransparencyLogError: self = Self.damaged(names, error.message)
        case let error as ArchiveFormatError: self = Self.damaged(names, error.message)
        default: self.init(.storage, "\(names.prefix): \(error)")
        }
    }

    package var description: String { message }

    static func damaged(_ names: LogNames, _ reason: String) -> LogError {
        LogError(
            .damaged,
            """
            \(names.prefix): \(reason). Nothing is written to it. `sluicectl archive verify` names the first bad place; \
            restore the log from a copy
            """)
    }

    static func checkpointMissing(_ names: LogNames) -> LogError {
        LogError(
            .checkpointMissing,
            """
            \(names.prefix) has checkpoints of its past, and \(names.prefix)/checkpoint is gone. Nothing is written to it. \
            Restore that file from a copy, or from the newest anchor
            """)
    }

    static func otherWriter(_ names: LogNames) -> LogError {
        LogError(
            .otherWriter,
            """
            \(names.prefix)/checkpoint is not what this process wrote last: another process writes this log. Stop it, or give \
            it an archive.url of its own
            """)
    }
}
