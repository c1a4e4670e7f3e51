/// Why keys cannot be had. Equality compares both properties.
package struct ArchiveKeyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; callers decide on this, never on the text.
    package enum Code: String, Hashable, Sendable {
        /// There is no key store where one must be.
        case missingStore
        /// The key store cannot be read or written now; the same call may succeed later.
        case unavailable
        /// The key store is damaged, or was written by a later version.
        case unusableStore
        /// The file of a key-encryption key cannot be read, or holds something else.
        case unreadableKey
        /// None of the key-encryption keys given is the one that wrapped a key.
        case wrongKey
        /// A wrapped key does not open with its key: it was changed.
        case damagedKey
        /// A record of the erasures topic was made with another key for marks.
        case foreignMarks
        /// The keys are destroyed, but copies may be in the write-ahead log still.
        case notOverwritten
    }

    package let code: Code
    /// What, where, and what to do.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

extension ArchiveKeyError {
    /// There is no key store, or an empty file, at a path.
    static func missingStore(_ path: String) -> ArchiveKeyError {
        ArchiveKeyError(
            .missingStore,
            """
            there is no key store at \(path): correct archive.key.store, start sluice-archive on this host, which reads the \
            keys from Kafka, or restore it from its backup
            """)
    }
}
