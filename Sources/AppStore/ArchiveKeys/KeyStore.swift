package import ArchiveFormat
internal import Cryptography
internal import FoundationEssentials
internal import SQLite
internal import Synchronization

/// The data keys of an archive's subjects, each wrapped by a key-encryption key, in an SQLite file of its own. Destroying a
/// subject's key erases the subject from the archive and from all copies of it.
///
/// Several processes of a host may have it open. Calls wait for each other and for the disk: never make them on the
/// cooperative pool.
package final class KeyStore: Sendable {
    /// Whether a key store that is not there is made.
    package enum Creation: Sendable {
        case ifMissing
        /// Beside an archive that has logs: their keys are read from the keys topic, and a topic without any record means
        /// that they are lost, see ``KeyStore/isJoining``.
        case joining
        /// For an archive that has encrypted objects already: without their keys they are lost, and a new, empty store
        /// would hide that.
        case never
    }

    /// The file.
    package let path: String
    let file: Mutex<KeyStoreFile>

    /// - Parameters:
    ///   - path: the file; its directory must exist, and be on another volume than the archive and in other backups.
    ///   - cachedSubjects: whose keys are kept in memory, about 400 bytes each.
    ///   - busyTimeout: how long a call waits for another process.
    /// - Throws: ``ArchiveKeyError``: `missingStore`, `wrongKey`, `damagedKey`, `unusableStore` or `unavailable`.
    package init(
        path: String, keys: KeyEncryptionKeys, creation: Creation = .never, cachedSubjects: Int = 65_536,
        busyTimeout: Duration = .seconds(10)
    ) throws(ArchiveKeyError) {
        if creation == .never, !FileManager.default.fileExists(atPath: path) {
            throw ArchiveKeyError.missingStore(path)
        }
        self.path = path
        if creation != .never { try OwnersFile.prepare(path) }
        file = Mutex(
            try KeyStoreFile(
                path: path, keys: keys, cachedSubjects: cachedSubjects, busyTimeout: busyTimeout,
                creation: creation))
    }

    /// The pseudonym of a subject.
    package func mark(of subject: ArchiveSubject) throws(ArchiveKeyError) -> SubjectMark {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.mark(of: subject) }
    }

    /// Names the key that marks are made with, 16 hexadecimal digits: the same in all key stores of an installation.
    package var marksId: String { file.withLock { $0.marksId } }

    /// A key for the index, which stays the same when the key-encryption key changes.
    ///
    /// - Throws: ``ArchiveKeyError`` with code `unavailable` when libcrypto fails.
    func indexKey() throws(ArchiveKeyError) -> HMACSHA256Key {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.indexKey() }
    }

    /// Closes the file; every call afterwards fails. Keys in memory are overwritten.
    package func close() { file.withLock { $0.close() } }
}
