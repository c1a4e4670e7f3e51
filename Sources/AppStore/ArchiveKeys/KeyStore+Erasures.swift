internal import AppStoreModel
package import ArchiveFormat
internal import Cryptography
internal import SQLite
internal import Synchronization

/// What an ``ErasureRecord`` came to.
package enum ErasureOutcome: Hashable, Sendable {
    /// The keys that are destroyed now; empty when the subject had none.
    case destroyed([ArchiveKeyId])
    /// Carried out before.
    case alreadyDone
    /// Nothing: a legal hold is on the subject. The erasure waits for its end.
    case held(LegalHold)
    case holdBegun
    case holdEnded
}

/// A legal hold.
package struct LegalHold: Hashable, Sendable {
    /// Milliseconds since 1970.
    package let sinceMilliseconds: Int64
    package let reason: String
    package let request: String
}

/// What is known of a subject.
package struct SubjectStatus: Hashable, Sendable {
    /// The key in use.
    package let key: ArchiveKeyId?
    package let destroyedKeys: [ArchiveKeyId]
    /// What was signed up to then is erased; milliseconds since 1970.
    package let erasedUpToMilliseconds: Int64?
    package let hold: LegalHold?
}

extension KeyStore {
    /// Carries out records of the erasures topic in their order, in one transaction, and then overwrites what was
    /// destroyed in the file and in its write-ahead log. A record that was carried out before changes nothing.
    ///
    /// - Parameter nextOffset: of the erasures topic, kept with it; nil leaves it.
    /// - Throws: ``ArchiveKeyError``: `foreignMarks` when a record names another key of marks; `notOverwritten` when all was
    ///   carried out but another process kept the write-ahead log from being emptied: call ``overwriteLog()`` later.
    @discardableResult
    package func apply(
        _ records: [ErasureRecord], nextOffset: Int64? = nil
    ) throws(ArchiveKeyError) -> [ErasureOutcome] {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.apply(records, nextOffset: nextOffset) }
    }

    /// Empties the write-ahead log, so that it has no page of before.
    ///
    /// - Throws: ``ArchiveKeyError`` with code `notOverwritten` while another process reads.
    package func overwriteLog() throws(ArchiveKeyError) {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.overwriteLog() }
    }

    /// What is known of a subject.
    package func status(of mark: SubjectMark) throws(ArchiveKeyError) -> SubjectStatus {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.status(of: mark) }
    }

    /// Whose key it is or was; nil for a key of another key store.
    package func mark(ofKey id: ArchiveKeyId) throws(ArchiveKeyError) -> SubjectMark? {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.mark(ofKey: id) }
    }

    /// The keys that were destroyed in this key store.
    package func destroyedKeys() throws(ArchiveKeyError) -> [ArchiveKeyId] {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.destroyedKeys() }
    }

    /// The next offset of the erasures topic; nil before the first.
    package var erasuresNextOffset: Int64? {
        get throws(ArchiveKeyError) {
            try file.withLock { (file) throws(ArchiveKeyError) in
                try KeyStoreFile.attempting { try file.integer(.erasuresNext) }
            }
        }
    }
}

extension KeyStoreFile {
    func apply(_ records: [ErasureRecord], nextOffset: Int64?) throws(ArchiveKeyError) -> [ErasureOutcome] {
        for record in records where record.marks != marksId {
            throw ArchiveKeyError(
                .foreignMarks,
                """
                a record of the erasures topic names subjects by marks \(record.marks), key store \(database.path) by \
                \(marksId): it was made with another key-encryption key; make it again with the installation's oldest key \
                last in archive.key.encryption.key.file
                """)
        }
        let outcomes = try Self.attempting {
            try database.transaction {
                let outcomes = try records.map { try apply($0) }
                if outcomes.contains(where: { $0 != .alreadyDone }) { try countChange() }
                if let nextOffset { try set(.erasuresNext, .integer(nextOffset)) }
                return outcomes
            }
        }
        cache.removeAll()
        if outcomes.contains(where: \.destroysKeys) { try overwriteLog() }
        return outcomes
    }

    func overwriteLog() throws(ArchiveKeyError) {
        let isBusy = try Self.attempting {
            try database.executeScript("PRAGMA shrink_memory")
            return try database.firstRow("PRAGMA wal_checkpoint(TRUNCATE)") { try $0.integer(0) } != 0
        }
        guard !isBusy else {
            throw ArchiveKeyError(
                .notOverwritten,
                """
                the keys are destroyed, but the write-ahead log of \(database.path) may have copies of them: another \
                process is reading; repeat the command
                """)
        }
    }

    func status(of mark: SubjectMark) throws(ArchiveKeyError) -> SubjectStatus {
        try Self.attempting {
            let bytes = SQLiteValue.blob(mark.digest.bytes)
            let rows = try database.rows(
                "SELECT id, wrapping FROM data_keys WHERE mark = ? ORDER BY number", [bytes]
            ) { (ArchiveKeyId(bytes: try $0.blob(0)), try $0.blob(1) == Self.destroyedWrapping) }
            return SubjectStatus(
                key: rows.first { !$0.1 }?.0, destroyedKeys: rows.compactMap { $0.1 ? $0.0 : nil },
                erasedUpToMilliseconds: try database.firstRow(
                    "SELECT up_to FROM erasures WHERE mark = ?", [bytes]
                ) { try $0.integer(0) },
                hold: try hold(on: bytes))
        }
    }

    func mark(ofKey id: ArchiveKeyId) throws(ArchiveKeyError) -> SubjectMark? {
        try Self.attempting {
            try database.firstRow("SELECT mark FROM data_keys WHERE id = ?", [.blob(id.bytes)]) { row in
                SubjectMark(bytes: try row.blob(0))
            } ?? nil
        }
    }

    func destroyedKeys() throws(ArchiveKeyError) -> [ArchiveKeyId] {
        try Self.attempting {
            try database.rows("SELECT id FROM data_keys WHERE wrapping = x'0000000000000000'") { row in
                ArchiveKeyId(bytes: try row.blob(0))
            }.compactMap(\.self)
        }
    }

    private func apply(_ record: ErasureRecord) throws -> ErasureOutcome {
        let mark = SQLiteValue.blob(record.subject.digest.bytes)
        let at = record.requestedAt.millisecondsSince1970
        switch record.action {
        case .erase: return try erase(mark, upTo: at, reason: record.reason, request: record.request)
        case .hold:
            if try hold(on: mark) != nil { return .alreadyDone }
            try database.run(
                "INSERT INTO holds (mark, since, reason, request) VALUES (?, ?, ?, ?)",
                [mark, .integer(at), .text(record.reason), .text(record.request)])
            return .holdBegun
        case .release:
            guard let hold = try hold(on: mark), hold.sinceMilliseconds <= at else { return .alreadyDone }
            try database.run("DELETE FROM holds WHERE mark = ?", [mark])
            let waiting = try database.firstRow(
                "SELECT up_to, reason, request FROM waiting_erasures WHERE mark = ?", [mark]
            ) { (try $0.integer(0), try $0.text(1), try $0.text(2)) }
            guard let (upTo, reason, request) = waiting else { return .holdEnded }
            try database.run("DELETE FROM waiting_erasures WHERE mark = ?", [mark])
            return try erase(mark, upTo: upTo, reason: reason, request: request)
        }
    }

    private func erase(
        _ mark: SQLiteValue, upTo: Int64, reason: String, request: String
    ) throws -> ErasureOutcome {
        let before = try database.firstRow("SELECT up_to FROM erasures WHERE mark = ?", [mark]) { try $0.integer(0) }
        // A key that was made after an erasure for what is newer must survive that erasure read again.
        if let before, before >= upTo { return .alreadyDone }
        if let hold = try hold(on: mark) {
            try insertErasure("waiting_erasures", mark, upTo, reason, request)
            return .held(hold)
        }
        let ids = try database.rows(
            "SELECT id FROM data_keys WHERE mark = ? AND wrapping <> x'0000000000000000'", [mark]
        ) { ArchiveKeyId(bytes: try $0.blob(0)) }
        try database.run(
            "UPDATE data_keys SET wrapping = ?, wrapped = ? WHERE mark = ? AND wrapping <> x'0000000000000000'",
            [.blob(Self.destroyedWrapping), .blob(Self.destroyedKey), mark])
        try insertErasure("erasures", mark, upTo, reason, request)
        return .destroyed(ids.compactMap(\.self))
    }

    private func insertErasure(
        _ table: String, _ mark: SQLiteValue, _ upTo: Int64, _ reason: String, _ request: String
    ) throws {
        try database.run(
            """
            INSERT INTO \(table) (mark, up_to, reason, request) VALUES (?, ?, ?, ?) ON CONFLICT (mark) DO UPDATE
            SET up_to = excluded.up_to, reason = excluded.reason, request = excluded.request
            WHERE excluded.up_to > up_to
            """, [mark, .integer(upTo), .text(reason), .text(request)])
    }

    private func hold(on mark: SQLiteValue) throws -> LegalHold? {
        try database.firstRow("SELECT since, reason, request FROM holds WHERE mark = ?", [mark]) {
            LegalHold(sinceMilliseconds: try $0.integer(0), reason: try $0.text(1), request: try $0.text(2))
        }
    }
}

extension ErasureOutcome {
    fileprivate var destroysKeys: Bool {
        if case .destroyed = self { true } else { false }
    }
}
