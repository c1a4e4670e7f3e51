internal import AppStoreModel
package import ArchiveLog
internal import Cryptography
internal import SQLite
internal import Synchronization

/// The outcome of applying an ``ErasureRecord``.
package enum ErasureOutcome: Hashable, Sendable {
    /// The keys that this record destroyed; empty if there were none to destroy.
    case destroyed([ArchiveKeyId])
    /// The record changed nothing, for example because it had already been applied.
    case alreadyDone
    /// Nothing was destroyed, because the subject is under a legal hold. The erasure is applied when the hold ends.
    case held(LegalHold)
    case holdBegun
    case holdEnded
}

/// A legal hold, which prevents the destruction of a subject's keys and the deletion of its payloads.
package struct LegalHold: Hashable, Sendable {
    /// The start of the hold, in milliseconds since 1970.
    package let sinceMilliseconds: Int64
    package let reason: String
    package let request: String
}

/// The state of a subject.
package struct SubjectStatus: Hashable, Sendable {
    /// The keys that have not been destroyed, starting with the key in use. A subject has several keys if hosts created
    /// them at the same time.
    package let keys: [ArchiveKeyId]
    package let destroyedKeys: [ArchiveKeyId]
    /// Records signed up to this time, in milliseconds since 1970, are erased.
    package let erasedUpToMilliseconds: Int64?
    package let hold: LegalHold?
}

extension KeyStore {
    /// Applies records from the erasures topic in order, in one transaction, and then overwrites the destroyed keys in
    /// the file and in its write-ahead log. A record that was already applied changes nothing.
    ///
    /// - Parameters:
    ///   - nextOffset: the next offset to read from the erasures topic, stored in the same transaction; nil leaves it
    ///     unchanged.
    ///   - overwritesLog: whether to overwrite the destroyed keys in the write-ahead log. If false, the outcomes are
    ///     returned in any case, and the caller must call ``overwriteLog()``.
    /// - Throws: ``ArchiveError``: `foreignMarks` if a record was made with a different pseudonym key; `notOverwritten`
    ///   if all records were applied, but another process prevented truncation of the write-ahead log. In the latter
    ///   case, call ``overwriteLog()`` later.
    @discardableResult
    package func apply(
        _ records: [ErasureRecord], nextOffset: Int64? = nil, overwritesLog: Bool = true
    ) throws(ArchiveError) -> [ErasureOutcome] {
        try file.withLock { (file) throws(ArchiveError) in
            try file.apply(records, nextOffset: nextOffset, overwritesLog: overwritesLog)
        }
    }

    /// Truncates the write-ahead log, so that it no longer contains old pages.
    ///
    /// - Throws: ``ArchiveError`` with code `notOverwritten` while another process is reading.
    package func overwriteLog() throws(ArchiveError) {
        try file.withLock { (file) throws(ArchiveError) in try file.overwriteLog() }
    }

    /// Returns the state of a subject.
    package func status(of mark: SubjectMark) throws(ArchiveError) -> SubjectStatus {
        try file.withLock { (file) throws(ArchiveError) in try file.status(of: mark) }
    }

    /// Applying `record` may destroy keys here that `record` does not name. Returns an erasure record that names these
    /// keys, or nil if there are none. Publish the returned record before applying `record`: verification accepts a key
    /// as erased only if a record in the erasures topic names the key.
    package func record(namingKeysOf record: ErasureRecord) throws(ArchiveError) -> ErasureRecord? {
        try file.withLock { (file) throws(ArchiveError) in try file.record(namingKeysOf: record) }
    }

    /// Returns the pseudonym of a key's subject, even if the key is destroyed, or nil if the key belongs to a different
    /// key store.
    package func mark(ofKey id: ArchiveKeyId) throws(ArchiveError) -> SubjectMark? {
        try file.withLock { (file) throws(ArchiveError) in try file.mark(ofKey: id) }
    }

    /// Returns the keys destroyed in this key store.
    package func destroyedKeys() throws(ArchiveError) -> [ArchiveKeyId] {
        try file.withLock { (file) throws(ArchiveError) in try file.destroyedKeys() }
    }

    /// The next offset to read from the erasures topic; nil if nothing has been read.
    package var erasuresNextOffset: Int64? {
        get throws(ArchiveError) {
            try file.withLock { (file) throws(ArchiveError) in
                try KeyStoreFile.attempting { try file.integer(.erasuresNext) }
            }
        }
    }
}

extension KeyStoreFile {
    func apply(
        _ records: [ErasureRecord], nextOffset: Int64?, overwritesLog: Bool
    ) throws(ArchiveError) -> [ErasureOutcome] {
        for record in records where record.marks != marksId {
            throw ArchiveError(
                .foreignMarks,
                """
                a record in the erasures topic uses pseudonym key \(record.marks), but key store \(database.path) uses \
                \(marksId), because the key store was created with a different key-encryption key; recreate the key \
                store with the installation's oldest key last in archive.key.encryption.key.file
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
        guard overwritesLog else { return outcomes }
        if outcomes.contains(where: \.destroysKeys) { try overwriteLog() }
        return outcomes
    }

    func overwriteLog() throws(ArchiveError) {
        let isBusy = try Self.attempting {
            try database.executeScript("PRAGMA shrink_memory")
            return try database.firstRow("PRAGMA wal_checkpoint(TRUNCATE)") { try $0.integer(0) } != 0
        }
        guard !isBusy else {
            throw ArchiveError(
                .notOverwritten,
                """
                the changes are applied, but the write-ahead log of \(database.path) may still contain destroyed or \
                rewrapped keys, because another process is reading the database; run the command again
                """)
        }
    }

    func status(of mark: SubjectMark) throws(ArchiveError) -> SubjectStatus {
        try Self.attempting {
            let bytes = SQLiteValue.blob(mark.digest.bytes)
            let destroyed = try database.rows(
                "SELECT id FROM data_keys WHERE mark = ? AND wrapping = x'0000000000000000' ORDER BY number", [bytes]
            ) { ArchiveKeyId(bytes: try $0.blob(0)) }
            return SubjectStatus(
                keys: try keysInUse(of: mark).map(\.key.id), destroyedKeys: destroyed.compactMap(\.self),
                erasedUpToMilliseconds: try erasedUpTo(of: mark),
                hold: try hold(on: bytes))
        }
    }

    func mark(ofKey id: ArchiveKeyId) throws(ArchiveError) -> SubjectMark? {
        try Self.attempting {
            try database.firstRow("SELECT mark FROM data_keys WHERE id = ?", [.blob(id.bytes)]) { row in
                SubjectMark(bytes: try row.blob(0))
            } ?? nil
        }
    }

    func destroyedKeys() throws(ArchiveError) -> [ArchiveKeyId] {
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
        case .erase:
            let outcome = try erase(
                record.subject, upTo: at, reason: record.reason, request: record.request)
            // Keys that only other hosts had are also recorded as destroyed.
            if let erased = try erasedUpTo(of: record.subject), erased >= at {
                for id in record.keys { try insertDestroyed(id, of: record.subject) }
            }
            return outcome
        case .hold:
            if try hold(on: mark) != nil { return .alreadyDone }
            try database.run(
                "INSERT INTO holds (mark, since, reason, request) VALUES (?, ?, ?, ?)",
                [mark, .integer(at), .text(record.reason), .text(record.request)])
            return .holdBegun
        case .release:
            guard let hold = try hold(on: mark), hold.sinceMilliseconds <= at else { return .alreadyDone }
            try database.run("DELETE FROM holds WHERE mark = ?", [mark])
            guard let (upTo, reason, request) = try waitingErasure(of: mark) else { return .holdEnded }
            try database.run("DELETE FROM waiting_erasures WHERE mark = ?", [mark])
            return try erase(record.subject, upTo: upTo, reason: reason, request: request)
        }
    }

    private func erase(
        _ subject: SubjectMark, upTo: Int64, reason: String, request: String
    ) throws -> ErasureOutcome {
        let mark = SQLiteValue.blob(subject.digest.bytes)
        if let before = try erasedUpTo(of: subject), before >= upTo { return .alreadyDone }
        if let hold = try hold(on: mark) {
            try insertErasure("waiting_erasures", mark, upTo, reason, request)
            return .held(hold)
        }
        // A key created after an erasure, for newer records, is not destroyed by that erasure.
        let rows = try keysInUse(of: subject).filter { $0.key.erasedUpTo ?? .min < upTo }
        for row in rows {
            try database.run(
                "UPDATE data_keys SET wrapping = ?, wrapped = ? WHERE number = ?",
                [.blob(Self.destroyedWrapping), .blob(Self.destroyedKey), .integer(row.number)])
        }
        try insertErasure("erasures", mark, upTo, reason, request)
        if !rows.isEmpty { try setDue(subject) }
        return .destroyed(rows.map(\.key.id))
    }

    func record(namingKeysOf record: ErasureRecord) throws(ArchiveError) -> ErasureRecord? {
        guard record.marks == marksId else { return nil }
        return try Self.attempting {
            let mark = SQLiteValue.blob(record.subject.digest.bytes)
            var named = record
            switch record.action {
            case .hold: return nil
            case .erase:
                guard try hold(on: mark) == nil else { return nil }
            case .release:
                guard let hold = try hold(on: mark), let (upTo, reason, request) = try waitingErasure(of: mark),
                    hold.sinceMilliseconds <= record.requestedAt.millisecondsSince1970
                else { return nil }
                named = ErasureRecord(
                    action: .erase, subject: record.subject, marks: marksId, reason: reason, request: request,
                    requestedAt: AppStoreInstant(clampingMillisecondsSince1970: upTo))
            }
            let upTo = named.requestedAt.millisecondsSince1970
            guard try erasedUpTo(of: record.subject) ?? .min < upTo else { return nil }
            named.keys = try keysInUse(of: record.subject).filter { $0.key.erasedUpTo ?? .min < upTo }.map(\.key.id)
                .filter { !record.keys.contains($0) }
            return named.keys.isEmpty ? nil : named
        }
    }

    private func waitingErasure(of mark: SQLiteValue) throws -> (upTo: Int64, reason: String, request: String)? {
        try database.firstRow("SELECT up_to, reason, request FROM waiting_erasures WHERE mark = ?", [mark]) {
            (try $0.integer(0), try $0.text(1), try $0.text(2))
        }
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
