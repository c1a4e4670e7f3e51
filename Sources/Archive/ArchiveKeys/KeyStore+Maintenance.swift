package import ArchiveLog
internal import Cryptography
internal import SQLite
internal import Synchronization

/// The numbers of keys and erasures in a key store.
package struct KeyStoreCounts: Hashable, Sendable {
    package let keys: Int
    package let destroyedKeys: Int
    package let erasedSubjects: Int
    package let holds: Int
    /// The number of erasures that are waiting for a hold to end.
    package let waitingErasures: Int
}

extension KeyStore {
    package func counts() throws(ArchiveError) -> KeyStoreCounts {
        try file.withLock { (file) throws(ArchiveError) in try file.counts() }
    }

    /// Rewraps, in batches, every key that is not wrapped with the first key-encryption key. Once all processes use the
    /// new key, the other key files can be removed. Other calls may run between batches.
    ///
    /// - Returns: the number of rewrapped keys.
    /// - Throws: ``ArchiveError``. Keys rewrapped before the error stay rewrapped, and the next call continues from
    ///   there.
    @discardableResult
    package func rewrap(batch: Int = 1_000) throws(ArchiveError) -> Int {
        var count = 0
        var after: Int64 = 0
        while true {
            let (rows, last) = try file.withLock { (file) throws(ArchiveError) in
                try file.rewrap(after: after, limit: max(1, batch))
            }
            count += rows
            guard let last else { break }
            after = last
        }
        if count > 0 { try overwriteLog() }
        return count
    }

    /// Returns the number of keys wrapped with each key-encryption key, including the pseudonym key, keyed by the
    /// wrapping key's id. A key-encryption key that wraps no keys can be removed.
    package func wrappedKeys() throws(ArchiveError) -> [String: Int] {
        try file.withLock { (file) throws(ArchiveError) in try file.wrappedKeys() }
    }

    /// Rewrites the entire file without unused pages. Erasure does not depend on it.
    package func vacuum() throws(ArchiveError) {
        try file.withLock { (file) throws(ArchiveError) in
            try KeyStoreFile.attempting { try file.database.executeScript("VACUUM") }
            try file.overwriteLog()
        }
    }

    /// Writes a consistent copy of the store, even while it is in use. (Copying only the file would omit the
    /// write-ahead log.) Only the owner can read the copy, which is durable on return.
    ///
    /// - Throws: ``ArchiveError``: `keyStoreUnavailable` if the path exists or cannot be written.
    package func backUp(to path: String) throws(ArchiveError) {
        try OwnersFile.make(path)
        try file.withLock { (file) throws(ArchiveError) in
            try KeyStoreFile.attempting { try file.database.run("VACUUM INTO ?", [.text(path)]) }
        }
        try OwnersFile.synchronize(path)
    }

    /// Returns the problems found in the file; empty if there are none. Reads the entire file: runs SQLite's integrity
    /// check and unwraps every key once.
    package func checkIntegrity() throws(ArchiveError) -> [String] {
        try file.withLock { (file) throws(ArchiveError) in try file.checkIntegrity() }
    }
}

extension KeyStoreFile {
    func counts() throws(ArchiveError) -> KeyStoreCounts {
        try Self.attempting {
            let count = { (sql: String) in Int(try self.database.firstRow(sql) { try $0.integer(0) } ?? 0) }
            let all = try count("SELECT count(*) FROM data_keys")
            let used = try count("SELECT count(*) FROM data_keys WHERE wrapping <> x'0000000000000000'")
            return KeyStoreCounts(
                keys: used, destroyedKeys: all - used, erasedSubjects: try count("SELECT count(*) FROM erasures"),
                holds: try count("SELECT count(*) FROM holds"),
                waitingErasures: try count("SELECT count(*) FROM waiting_erasures"))
        }
    }

    /// - Returns: the number of rewrapped rows, and the last row examined, or nil if no rows remain.
    func rewrap(after: Int64, limit: Int) throws(ArchiveError) -> (Int, Int64?) {
        try Self.attempting {
            try database.transaction {
                let current = SQLiteValue.blob(keys.current.idBytes)
                let rows = try database.rows(
                    """
                    SELECT number, id, mark, wrapping, wrapped FROM data_keys
                    WHERE number > ? AND wrapping NOT IN (?, x'0000000000000000') ORDER BY number LIMIT ?
                    """, [.integer(after), current, .integer(limit)]
                ) { (try $0.integer(0), try $0.blob(1), try $0.blob(2), try $0.blob(3), try $0.blob(4)) }
                for (number, id, mark, wrapping, wrapped) in rows {
                    let secret = try key(wrapping).unwrap(wrapped, context: mark + id)
                    try database.run(
                        "UPDATE data_keys SET wrapping = ?, wrapped = ? WHERE number = ?",
                        [current, .blob(try keys.current.wrap(secret, context: mark + id)), .integer(number)])
                    if let subject = SubjectMark(bytes: mark) { try setDue(subject) }
                }
                let marks = try rewrapMarks()
                return (rows.count + marks, rows.last?.0)
            }
        }
    }

    func wrappedKeys() throws(ArchiveError) -> [String: Int] {
        try Self.attempting {
            // The pseudonym key is wrapped too, so it is counted with the data keys.
            let rows = try database.rows(
                """
                SELECT wrapping, count(*) FROM (
                    SELECT wrapping FROM data_keys WHERE wrapping <> x'0000000000000000'
                    UNION ALL SELECT value FROM store WHERE name = ?
                ) GROUP BY wrapping
                """, [.text(KeyStoreValue.marksWrapping.rawValue)]
            ) { (HexText.encode(try $0.blob(0)), Int(try $0.integer(1))) }
            return Dictionary(rows, uniquingKeysWith: +)
        }
    }

    private func rewrapMarks() throws -> Int {
        let blob = { (name: KeyStoreValue) in
            try self.database.firstRow("SELECT value FROM store WHERE name = ?", [.text(name.rawValue)]) {
                try $0.blob(0)
            }
        }
        guard let wrapped = try blob(.marks), let wrapping = try blob(.marksWrapping), wrapping != keys.current.idBytes
        else { return 0 }
        let secret = try key(wrapping).unwrap(wrapped, context: Self.marksContext)
        try set(.marks, .blob(try keys.current.wrap(secret, context: Self.marksContext)))
        try set(.marksWrapping, .blob(keys.current.idBytes))
        try set(.marksDue, 1)
        return 1
    }

    func checkIntegrity() throws(ArchiveError) -> [String] {
        try Self.attempting {
            var problems = try database.quickCheck()
            let failures = try database.rows(
                "SELECT id, mark, wrapping, wrapped FROM data_keys WHERE wrapping <> x'0000000000000000'"
            ) { row -> String? in
                let (id, mark) = (try row.blob(0), try row.blob(1))
                do {
                    _ = try key(try row.blob(2)).unwrap(try row.blob(3), context: mark + id)
                    return nil
                } catch let error as ArchiveError {
                    return "key \(ArchiveKeyId(bytes: id)?.hex ?? "with a damaged id"): \(error)"
                }
            }
            problems += failures.compactMap(\.self)
            return problems
        }
    }
}
