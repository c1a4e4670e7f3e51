/// An error in obtaining keys. Equality compares both properties.
package struct ArchiveKeyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; callers must decide on this, never on the text.
    package enum Code: String, Hashable, Sendable {
        /// There is no key store at a path where one is required.
        case missingStore
        /// The key store cannot be read or written now; the same call may succeed later.
        case unavailable
        /// The key store is damaged, or was written by a later version.
        case unusableStore
        /// The file of a key-encryption key cannot be read, or does not contain a key.
        case unreadableKey
        /// The key was not wrapped with any of the given key-encryption keys.
        case wrongKey
        /// A wrapped key cannot be unwrapped with its key-encryption key, so it was changed.
        case damagedKey
        /// A record in the erasures topic was made with another pseudonym key.
        case foreignMarks
        /// The keys are destroyed, but the write-ahead log may still contain copies.
        case notOverwritten
    }

    package let code: Code
    /// The problem, its location and how to fix it.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

extension ArchiveKeyError {
    /// Creates the error for a path where there is no key store or an empty file.
    static func missingStore(_ path: String) -> ArchiveKeyError {
        ArchiveKeyError(
            .missingStore,
            """
            there is no key store at \(path): correct archive.key.store, start sluice-archive on this host to read the \
            keys from Kafka, or restore it from its backup
            """)
    }
}
