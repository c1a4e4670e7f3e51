package import ArchiveLog
internal import Cryptography
internal import FoundationEssentials
internal import SQLite
internal import Synchronization

/// The data keys of an archive's subjects, each wrapped with a key-encryption key, in a separate SQLite file.
/// Destroying a subject's key erases the subject from the archive and from all its copies.
///
/// Several processes on a host may open the file. Calls block on other processes and on the disk, so never make them on
/// the cooperative thread pool.
package final class KeyStore: Sendable {
    /// Whether to create a missing key store.
    package enum Creation: Sendable {
        case ifMissing
        /// Creates the key store for an archive that already has logs, and reads their keys from the keys topic. If the
        /// topic is empty, the keys are lost; see ``KeyStore/isJoining``.
        case joining
        /// Does not create a key store. The archive already has encrypted objects, which are lost without their keys; a
        /// new, empty store would hide the loss.
        case never
    }

    /// The path of the database file.
    package let path: String
    let file: Mutex<KeyStoreFile>

    /// - Parameters:
    ///   - path: the file. Its directory must exist, and must be on a different volume and in different backups than
    ///     the archive.
    ///   - cachedSubjects: the maximum number of subjects with keys cached in memory, about 400 bytes each.
    ///   - busyTimeout: the maximum time that a call waits for other processes.
    /// - Throws: ``ArchiveError``: `keyStoreMissing`, `wrongEncryptionKey`, `damagedWrappedKey`, `keyStoreUnusable`
    ///   or `keyStoreUnavailable`.
    package init(
        path: String, keys: KeyEncryptionKeys, creation: Creation = .never, cachedSubjects: Int = 65_536,
        busyTimeout: Duration = .seconds(10)
    ) throws(ArchiveError) {
        if creation == .never, !FileManager.default.fileExists(atPath: path) {
            throw ArchiveError.keyStoreMissing(at: path)
        }
        self.path = path
        if creation != .never { try OwnersFile.prepare(path) }
        file = Mutex(
            try KeyStoreFile(
                path: path, keys: keys, cachedSubjects: cachedSubjects, busyTimeout: busyTimeout,
                creation: creation))
    }

    /// Returns the pseudonym of a subject.
    package func mark(of subject: ArchiveSubject) throws(ArchiveError) -> SubjectMark {
        try file.withLock { (file) throws(ArchiveError) in try file.mark(of: subject) }
    }

    /// The id of the pseudonym key: 16 hexadecimal digits, the same in all key stores of an installation.
    package var marksId: String { file.withLock { $0.marksId } }

    /// Returns the HMAC key for the index. The HMAC key does not change when the key-encryption key is rotated.
    ///
    /// - Throws: ``ArchiveError`` with code `keyStoreUnavailable` if libcrypto fails.
    func indexKey() throws(ArchiveError) -> HMACSHA256Key {
        try file.withLock { (file) throws(ArchiveError) in try file.indexKey() }
    }

    /// Closes the file and overwrites the keys in memory. All later calls fail.
    package func close() { file.withLock { $0.close() } }
}
