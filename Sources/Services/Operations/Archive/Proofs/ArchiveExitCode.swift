internal import ArchiveLog
internal import Lifecycle

/// The exit codes of `sluicectl archive verify` and `prove`. A contract.
extension ExitCode {
    /// Something was changed, removed, exchanged or added after it was signed; a proof does not hold.
    static let archiveTampered = ExitCode(rawValue: 2)
    /// Records are missing that the archive never had, or a log could not be compared with a checkpoint from elsewhere.
    static let archiveIncomplete = ExitCode(rawValue: 3)
    /// The archive is not a continuation of what it once signed.
    static let archiveRolledBack = ExitCode(rawValue: 4)
    /// Signed by a key that was not given, or no key was given.
    static let archiveKeyUnknown = ExitCode(rawValue: 5)
    /// The archive cannot be read.
    static let archiveUnreadable = ExitCode(rawValue: 6)

    init(_ verdict: Finding.Kind?) {
        switch verdict {
        case nil: self = .ok
        case .tampered: self = .archiveTampered
        case .incomplete, .unanchored: self = .archiveIncomplete
        case .rolledBack, .forked: self = .archiveRolledBack
        case .unknownKey: self = .archiveKeyUnknown
        case .unreadable: self = .archiveUnreadable
        }
    }

    init(_ error: LogReadError) {
        switch error.code {
        case .storage: self = .archiveUnreadable
        case .unknownKey: self = .archiveKeyUnknown
        case .missing, .malformed, .invalidSignature: self = .archiveTampered
        case .noLeaf: self = .usage
        }
    }
}
