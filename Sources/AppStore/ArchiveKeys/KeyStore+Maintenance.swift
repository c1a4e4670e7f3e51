internal import ArchiveFormat
internal import Cryptography
internal import SQLite
internal import Synchronization

/// How many of each a key store has.
package struct KeyStoreCounts: Hashable, Sendable {
    package let keys: Int
    package let destroyedKeys: Int
    package let erasedSubjects: Int
    package let holds: Int
    /// Erasures that wait for the end of a hold.
    package let waitingErasures: Int
}

extension KeyStore {
    package func counts() throws(ArchiveKeyError) -> KeyStoreCounts {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.counts() }
    }

    /// Wraps every key again that another key than the first one wrapped; then the other files can be removed, once all
    /// processes have been started with the new key. Other calls go on between batches.
    ///
    /// - Returns: how many keys it wrapped.
    /// - Throws: ``ArchiveKeyError``; what was wrapped until then stays so, and another call goes on.
    @discardableResult
    package func rewrap(batch: Int = 1_000) throws(ArchiveKeyError) -> Int {
        var count = 0
        var after: Int64 = 0
        while true {
            let (rows, last) = try file.withLock { (file) throws(ArchiveKeyError) in
                try file.rewrap(after: after, limit: max(1, batch))
            }
            count += rows
            guard let last else { break }
            after = last
        }
        if count > 0 { try overwriteLog() }
        return count
    }

    /// How many keys in use each key-encryption key wraps, by its id: one with none can be removed.
    package func wrappedKeys() throws(ArchiveKeyError) -> [String: Int] {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.wrappedKeys() }
    }

    /// Rewrites the whole file, without unused pages. Not needed for erasing.
    package func vacuum() throws(ArchiveKeyError) {
        try file.withLock { (file) throws(ArchiveKeyError) in
            try KeyStoreFile.attempting { try file.database.executeScript("VACUUM") }
            try file.overwriteLog()
        }
    }

    /// Writes a copy of the store as it is at one instant, while processes use it; a copy of the file alone lacks what is in
    /// its write-ahead log. Only its owner can read it. It is on disk on return.
    ///
    /// - Throws: ``ArchiveKeyError``: `unavailable` where there is a file, or it cannot be written.
    package func backUp(to path: String) throws(ArchiveKeyError) {
        try OwnersFile.make(path)
        try file.withLock { (file) throws(ArchiveKeyError) in
            try KeyStoreFile.attempting { try file.database.run("VACUUM INTO ?", [.text(path)]) }
        }
        try OwnersFile.synchronize(path)
    }

    /// What is wrong with the file, empty when it is sound: SQLite's own check, and every key unwrapped once. Reads all.
    package func checkIntegrity() throws(ArchiveKeyError) -> [String] {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.checkIntegrity() }
    }
}

extension KeyStoreFile {
    func counts() throws(ArchiveKeyError) -> KeyStoreCounts {
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

    /// - Returns: how many rows it wrapped, and the last row it looked at; nil when there are no more.
    func rewrap(after: Int64, limit: Int) throws(ArchiveKeyError) -> (Int, Int64?) {
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

    func wrappedKeys() throws(ArchiveKeyError) -> [String: Int] {
        try Self.attempting {
            // The key of the marks is one too.
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

    func checkIntegrity() throws(ArchiveKeyError) -> [String] {
        try Self.attempting {
            var problems = try database.quickCheck()
            let failures = try database.rows(
                "SELECT id, mark, wrapping, wrapped FROM data_keys WHERE wrapping <> x'0000000000000000'"
            ) { row -> String? in
                let (id, mark) = (try row.blob(0), try row.blob(1))
                do {
                    _ = try key(try row.blob(2)).unwrap(try row.blob(3), context: mark + id)
                    return nil
                } catch let error as ArchiveKeyError {
                    return "key \(ArchiveKeyId(bytes: id)?.hex ?? "without a name"): \(error)"
                }
            }
            problems += failures.compactMap(\.self)
            return problems
        }
    }
}
