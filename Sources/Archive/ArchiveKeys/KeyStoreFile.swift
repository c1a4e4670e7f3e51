internal import ArchiveLog
internal import Cryptography
internal import SQLite

/// The open key store file. Only one thread may use it at a time.
final class KeyStoreFile {
    let database: Database
    let keys: KeyEncryptionKeys
    private(set) var marksId: String
    var cache: KeyCache
    /// The value of ``KeyStoreValue/changes`` when the cache was last up to date.
    var seenChanges: Int64 = 0
    /// The value of `PRAGMA data_version` when the cache was last up to date. Each commit by another connection changes
    /// it.
    var seenVersion: Int64 = 0
    private var marksSecret: SecretKey
    private var marks: HMACSHA256Key
    /// Masks key ids in leaves.
    private(set) var leafMask: ArchiveLeafMask

    init(
        path: String, keys: KeyEncryptionKeys, cachedSubjects: Int, busyTimeout: Duration,
        creation: KeyStore.Creation
    ) throws(ArchiveError) {
        self.keys = keys
        cache = KeyCache(limit: cachedSubjects)
        (database, marksSecret) = try Self.attempting {
            let database = try Database(path: path, access: .sharedWriter, busyTimeout: busyTimeout)
            // `synchronous` is FULL, because a key that encrypted a record must survive a power loss, and a destroyed
            // key must not reappear.
            try database.executeScript(
                "PRAGMA secure_delete=ON; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8192;")
            try database.migrate(KeyStoreSchema.migrations)
            return (database, try Self.marksSecret(database, path: path, keys, creation))
        }
        (marks, marksId, leafMask) = try Self.marks(marksSecret)
        try refresh()
    }

    private static func marks(
        _ secret: SecretKey
    ) throws(ArchiveError) -> (HMACSHA256Key, String, ArchiveLeafMask) {
        do throws(CryptographyError) {
            let mask = try HKDF.derive(from: secret, info: Array("sluice archive leaf".utf8))
            return (
                try HMACSHA256Key(secret), HexText.encode(try KeyEncryptionKey.identifier(of: secret)),
                ArchiveLeafMask(try HMACSHA256Key(mask))
            )
        } catch { throw ArchiveError(.keyStoreUnavailable, error.message) }
    }

    /// Switches to a different pseudonym key, which must already be stored.
    func use(marksSecret secret: SecretKey) throws(ArchiveError) {
        (marks, marksId, leafMask) = try Self.marks(secret)
        marksSecret = secret
    }

    func close() {
        cache.removeAll()
        database.close()
    }

    func mark(of subject: ArchiveSubject) throws(ArchiveError) -> SubjectMark {
        do throws(CryptographyError) {
            return SubjectMark(try marks.code(for: Array(subject.text.utf8)))
        } catch { throw ArchiveError(.keyStoreUnavailable, error.message) }
    }

    func indexKey() throws(ArchiveError) -> HMACSHA256Key {
        do throws(CryptographyError) {
            return try HMACSHA256Key(try HKDF.derive(from: marksSecret, info: Array("sluice archive index".utf8)))
        } catch { throw ArchiveError(.keyStoreUnavailable, error.message) }
    }

    // MARK: Changes by other processes

    /// Empties the cache if another process has incremented the change counter since the last check.
    func refresh() throws(ArchiveError) {
        try Self.attempting {
            let version = try database.firstRow("PRAGMA data_version") { try $0.integer(0) } ?? 0
            guard version != seenVersion else { return }
            let changes = try integer(.changes) ?? 0
            if changes != seenChanges {
                cache.removeAll()
                // SQLite's cached pages may still contain the destroyed keys.
                try database.executeScript("PRAGMA shrink_memory")
            }
            (seenVersion, seenChanges) = (version, changes)
        }
    }

    /// Increments the change counter. Must run inside the transaction that destroys keys, changes a subject's key in
    /// use, or changes a hold; the caller must empty the cache after the commit.
    func countChange() throws {
        try set(.changes, .integer((try integer(.changes) ?? 0) + 1))
    }

    // MARK: Values

    func integer(_ name: KeyStoreValue) throws -> Int64? {
        try database.firstRow("SELECT value FROM store WHERE name = ?", [.text(name.rawValue)]) { try $0.integer(0) }
    }

    func set(_ name: KeyStoreValue, _ value: SQLiteValue) throws {
        try Self.set(database, name, value)
    }

    private static func set(_ database: Database, _ name: KeyStoreValue, _ value: SQLiteValue) throws {
        try database.run(
            "INSERT INTO store (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [.text(name.rawValue), value])
    }

    /// The context to which the wrapped pseudonym key is bound.
    static let marksContext = Array("sluice archive marks".utf8)

    /// Reads the pseudonym key, or creates it in a new store. If two processes create the store at the same time, the
    /// transaction ensures that both use the same key.
    private static func marksSecret(
        _ database: Database, path: String, _ keys: KeyEncryptionKeys, _ creation: KeyStore.Creation
    ) throws -> SecretKey {
        try database.transaction {
            let blob = { (name: KeyStoreValue) in
                try database.firstRow("SELECT value FROM store WHERE name = ?", [.text(name.rawValue)]) {
                    try $0.blob(0)
                }
            }
            guard let wrapped = try blob(.marks), let wrapping = try blob(.marksWrapping) else {
                guard creation != .never else { throw ArchiveError.keyStoreMissing(at: path) }
                let secret = keys.oldest.marks
                try set(database, .marks, .blob(try keys.current.wrap(secret, context: marksContext)))
                try set(database, .marksWrapping, .blob(keys.current.idBytes))
                if creation == .joining { try set(database, .joining, 1) }
                return secret
            }
            return try key(wrapping, of: path, keys).unwrap(wrapped, context: marksContext)
        }
    }

    /// Returns the key-encryption key with this id.
    func key(_ idBytes: [UInt8]) throws(ArchiveError) -> KeyEncryptionKey {
        try Self.key(idBytes, of: database.path, keys)
    }

    private static func key(
        _ idBytes: [UInt8], of path: String, _ keys: KeyEncryptionKeys
    ) throws(ArchiveError) -> KeyEncryptionKey {
        guard let key = keys.key(idBytes: idBytes) else {
            throw ArchiveError(
                .wrongEncryptionKey,
                """
                key store \(path) is wrapped with key-encryption key \(HexText.encode(idBytes)), which is not one of \
                the given keys: \(keys.summary); add its file to archive.key.encryption.key.file
                """)
        }
        return key
    }

    // MARK: Errors

    static func attempting<Result>(_ body: () throws -> Result) throws(ArchiveError) -> Result {
        do {
            return try body()
        } catch let error as ArchiveError {
            throw error
        } catch let error as SQLiteError {
            let isUnusable = error.isCorrupt || error.code == .newerSchema || error.code == .wrongType
            throw ArchiveError(isUnusable ? .keyStoreUnusable : .keyStoreUnavailable, "key store: \(error)")
        } catch {
            throw ArchiveError(.keyStoreUnavailable, "key store: \(error)")
        }
    }
}
