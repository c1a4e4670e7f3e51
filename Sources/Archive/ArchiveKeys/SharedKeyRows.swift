internal import ArchiveLog
internal import Cryptography
internal import SQLite

/// A key that has not been destroyed, and its row number.
struct SharedKeyRow {
    let number: Int64
    let key: SubjectKeys.Key
    /// The index among the subject's keys; nil until the key has been read from the keys topic.
    let rank: Int64?
}

/// Queries on the keys shared by all hosts. Functions that write must run inside a transaction.
extension KeyStoreFile {
    /// Returns a subject's keys that are not destroyed: first the keys in the topic, in order, then the proposals.
    func keysInUse(of subject: SubjectMark) throws -> [SharedKeyRow] {
        try database.rows(
            """
            SELECT k.number, k.id, k.wrapping, k.wrapped, s.rank, s.erased_up_to
            FROM data_keys k LEFT JOIN shared_keys s ON s.number = k.number
            WHERE k.mark = ? AND k.wrapping <> x'0000000000000000' ORDER BY s.rank IS NULL, s.rank, k.number
            """, [.blob(subject.digest.bytes)]
        ) { row in
            guard let id = ArchiveKeyId(bytes: try row.blob(1)) else {
                throw ArchiveError(
                    .damagedWrappedKey, "key store \(self.database.path) has a key with a damaged id")
            }
            let key = SubjectKeys.Key(
                id: id, wrapping: try row.blob(2), wrapped: try row.blob(3), erasedUpTo: try row.integerOrNil(5))
            return SharedKeyRow(number: try row.integer(0), key: key, rank: try row.integerOrNil(4))
        }
    }

    /// Returns the time up to which a subject is erased, in milliseconds since 1970, or nil if it is not erased.
    func erasedUpTo(of subject: SubjectMark) throws -> Int64? {
        try database.firstRow("SELECT up_to FROM erasures WHERE mark = ?", [.blob(subject.digest.bytes)]) {
            try $0.integer(0)
        }
    }

    /// Inserts a key that is not yet known to be in the topic.
    func insert(_ key: SubjectKeys.Key, of subject: SubjectMark) throws {
        try database.run(
            "INSERT INTO data_keys (id, mark, wrapping, wrapped) VALUES (?, ?, ?, ?)",
            [.blob(key.id.bytes), .blob(subject.digest.bytes), .blob(key.wrapping), .blob(key.wrapped)])
        try database.run(
            "INSERT INTO shared_keys (number, rank, erased_up_to) SELECT number, NULL, ? FROM data_keys WHERE id = ?",
            [.integer(key.erasedUpTo), .blob(key.id.bytes)])
    }

    /// Records a key as destroyed if this store never had it. An existing key remains unchanged.
    func insertDestroyed(_ id: ArchiveKeyId, of subject: SubjectMark) throws {
        try database.run(
            "INSERT OR IGNORE INTO data_keys (id, mark, wrapping, wrapped) VALUES (?, ?, ?, ?)",
            [
                .blob(id.bytes), .blob(subject.digest.bytes), .blob(Self.destroyedWrapping), .blob(Self.destroyedKey),
            ])
    }

    func setRank(_ rank: Int, ofRow number: Int64) throws {
        try database.run(
            """
            INSERT INTO shared_keys (number, rank, erased_up_to) VALUES (?, ?, NULL)
            ON CONFLICT (number) DO UPDATE SET rank = excluded.rank WHERE rank IS NOT excluded.rank
            """, [.integer(number), .integer(rank)])
    }

    /// Marks a subject as due for publication because its keys in the topic differ from those in this store.
    func setDue(_ subject: SubjectMark) throws {
        try database.run(
            "INSERT OR IGNORE INTO due_publications (mark) VALUES (?)", [.blob(subject.digest.bytes)])
    }

    func clearDue(_ subject: SubjectMark) throws {
        try database.run("DELETE FROM due_publications WHERE mark = ?", [.blob(subject.digest.bytes)])
    }

    func setAllDue() throws {
        try database.executeScript(
            """
            UPDATE shared_keys SET rank = NULL;
            INSERT OR IGNORE INTO due_publications (mark)
                SELECT mark FROM data_keys WHERE wrapping <> x'0000000000000000';
            """)
        try set(.marksDue, 1)
    }

    /// Returns the subject's keys as they should appear in the topic.
    func sharedState(of subject: SubjectMark) throws -> SubjectKeys {
        SubjectKeys(
            subject: subject, keys: try keysInUse(of: subject).map(\.key), erasedUpTo: try erasedUpTo(of: subject))
    }
}
