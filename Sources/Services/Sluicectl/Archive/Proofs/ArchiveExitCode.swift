internal import ArchiveLog
internal import Lifecycle

/// The exit codes of `sluicectl archive verify` and `prove`, which are a public contract.
extension ExitCode {
    /// Data was changed, removed, replaced or added after it was signed, or a proof is invalid.
    static let archiveTampered = ExitCode(rawValue: 2)
    /// The archive never received some records, or a log could not be compared with an external checkpoint.
    static let archiveIncomplete = ExitCode(rawValue: 3)
    /// The archive is not consistent with a state that it signed earlier.
    static let archiveRolledBack = ExitCode(rawValue: 4)
    /// The signature was made with an unknown key, or no key was specified.
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

    /// Creates the exit code for an error while reading a log.
    init(_ error: ArchiveError) {
        switch error.code {
        case .storage: self = .archiveUnreadable
        case .unknownKey: self = .archiveKeyUnknown
        case .noLeaf: self = .usage
        default: self = .archiveTampered
        }
    }
}
