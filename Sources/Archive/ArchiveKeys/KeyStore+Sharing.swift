internal import AppStoreModel
package import ArchiveLog
internal import Cryptography
internal import SQLite
internal import Synchronization

/// The result of reading records from the keys topic.
package struct FollowedKeys: Hashable, Sendable {
    /// The number of records that this store has applied.
    package internal(set) var applied = 0
    /// The reasons why records were refused, one line each: a record is damaged, or belongs to a different
    /// installation.
    package internal(set) var refused: [String] = []
}

/// Synchronization with the keys topic. All hosts read the topic in the same order, and each host's store is a copy of
/// the topic.
///
/// A subject's keys are an append-only list. Every host uses the first key in the topic; records encrypted under a
/// different key remain readable. If a record lacks keys that this store has, or contains a key that is destroyed here,
/// the subject's keys are published again. A tombstone destroys nothing; only records in the erasures topic do.
extension KeyStore {
    /// Returns the offset from which to read the keys topic. If the cluster has changed or the topic was recreated,
    /// this is the beginning of the topic, and every key becomes due for publication.
    ///
    /// - Parameters:
    ///   - low: the first available offset in the topic.
    ///   - high: the offset after the topic's last record.
    package func keysOffset(cluster: String, low: Int64, high: Int64) throws(ArchiveError) -> Int64 {
        try file.withLock { (file) throws(ArchiveError) in
            try file.keysOffset(cluster: cluster, low: low, high: high)
        }
    }

    /// Applies records from the keys topic in order, and stores the next offset in the same transaction.
    ///
    /// - Throws: ``ArchiveError``: `wrongEncryptionKey` if the installation's pseudonym key is wrapped with a
    ///   key-encryption key that was not given.
    package func follow(_ records: [ArchiveKeyRecord], nextOffset: Int64) throws(ArchiveError) -> FollowedKeys {
        try file.withLock { (file) throws(ArchiveError) in try file.follow(records, nextOffset: nextOffset) }
    }

    /// Returns the records that are due for publication: the pseudonym key, and the keys of at most `limit` subjects.
    package func duePublications(limit: Int) throws(ArchiveError) -> [ArchiveKeyRecord] {
        try file.withLock { (file) throws(ArchiveError) in try file.duePublications(limit: limit) }
    }

    /// Returns the records for these subjects, whether due or not. A subject without a key has none.
    package func publications(of subjects: Set<SubjectMark>) throws(ArchiveError) -> [ArchiveKeyRecord] {
        try file.withLock { (file) throws(ArchiveError) in
            try KeyStoreFile.attempting {
                try subjects.map { try file.sharedState(of: $0) }.filter { !$0.keys.isEmpty }.map { .keys($0) }
            }
        }
    }

    /// Marks records as acknowledged by Kafka. Records that have not changed in the meantime are no longer due.
    package func acknowledge(_ records: [ArchiveKeyRecord]) throws(ArchiveError) {
        try file.withLock { (file) throws(ArchiveError) in try file.acknowledge(records) }
    }

    /// Returns erasure records for keys that are in the given records but were never in this store. Their subject had
    /// already been erased here, and another host used these keys before it read the erasure.
    package func erasures(ofKeysIn records: [ArchiveKeyRecord]) throws(ArchiveError) -> [ErasureRecord] {
        try file.withLock { (file) throws(ArchiveError) in try file.erasures(ofKeysIn: records) }
    }

    /// Whether the store was created for an archive that already has logs, and has not read a record from the keys
    /// topic yet. If the topic is empty, either the keys of these logs are lost, or no host with a key store has run
    /// this version yet.
    package var isJoining: Bool {
        get throws(ArchiveError) {
            try file.withLock { (file) throws(ArchiveError) in
                try KeyStoreFile.attempting { try file.integer(.joining) == 1 }
            }
        }
    }
}

extension KeyStoreFile {
    func keysOffset(cluster: String, low: Int64, high: Int64) throws(ArchiveError) -> Int64 {
        try Self.attempting {
            let known = try database.firstRow(
                "SELECT value FROM store WHERE name = ?", [.text(KeyStoreValue.keysCluster.rawValue)]
            ) { try $0.text(0) }
            if let next = try integer(.keysNext), known == cluster, (low...max(low, high)).contains(next) {
                return next
            }
            return try database.transaction {
                try set(.keysCluster, .text(cluster))
                try set(.keysNext, .integer(low))
                try setAllDue()
                cache.removeAll()
                return low
            }
        }
    }

    func follow(_ records: [ArchiveKeyRecord], nextOffset: Int64) throws(ArchiveError) -> FollowedKeys {
        var followed = FollowedKeys()
        var adopted: SecretKey?
        let changesUse = try Self.attempting {
            try database.transaction {
                var changesUse = false
                for record in records {
                    switch record {
                    case .marks(let marks):
                        if let secret = try follow(marks, adopted: adopted, &followed) { adopted = secret }
                    case .keys(let subject):
                        if try follow(subject, &followed) { changesUse = true }
                    }
                }
                if changesUse { try countChange() }
                if followed.applied > 0, try integer(.joining) == 1 { try set(.joining, 0) }
                try set(.keysNext, .integer(nextOffset))
                return changesUse
            }
        }
        if changesUse || adopted != nil { cache.removeAll() }
        if let adopted { try use(marksSecret: adopted) }
        return followed
    }

    /// - Returns: whether the key in use changed.
    private func follow(_ record: SubjectKeys, _ followed: inout FollowedKeys) throws -> Bool {
        let subject = record.subject
        let before = try keysInUse(of: subject)
        var named: [Int64] = []
        for key in record.keys {
            guard let problem = try take(key, of: subject, &named) else { continue }
            followed.refused.append(problem)
            return false
        }
        followed.applied += 1
        let known = before.filter { $0.rank != nil }.map(\.number)
        // A record that lists all known keys determines the order; otherwise, new keys are appended.
        let order = Set(named).isSuperset(of: known) ? named : known + named.filter { !known.contains($0) }
        for (rank, number) in order.enumerated() { try setRank(rank, ofRow: number) }
        let state = try sharedState(of: subject)
        let expected = state.keys.filter { !record.hasErased($0) }
        if expected.map(\.id) == record.keys.map(\.id) { try clearDue(subject) } else { try setDue(subject) }
        return !before.isEmpty && before.first?.key.id != state.keys.first?.id
    }

    /// - Parameter named: collects the rows of the record's keys, except destroyed ones.
    /// - Returns: the reason why the key was refused, or nil if it was accepted.
    private func take(_ key: SubjectKeys.Key, of subject: SubjectMark, _ named: inout [Int64]) throws -> String? {
        let bytes = subject.digest.bytes
        let row = try database.firstRow(
            "SELECT number, mark, wrapping FROM data_keys WHERE id = ?", [.blob(key.id.bytes)]
        ) { (try $0.integer(0), try $0.blob(1), try $0.blob(2)) }
        if let (number, mark, wrapping) = row {
            guard mark == bytes else { return "key \(key.id) belongs to a different subject in this key store" }
            if wrapping != Self.destroyedWrapping { named.append(number) }
            return nil
        }
        // Keep the key even if its key-encryption key is missing: it can be unwrapped once that key is given.
        if let wrappingKey = keys.key(idBytes: key.wrapping) {
            do { _ = try wrappingKey.unwrap(key.wrapped, context: bytes + key.id.bytes) } catch {
                guard error.code == .damagedWrappedKey else { throw error }
                return "key \(key.id): \(error.message)"
            }
        }
        if let erased = try erasedUpTo(of: subject), key.erasedUpTo ?? .min < erased {
            try insertDestroyed(key.id, of: subject)
            return nil
        }
        try insert(key, of: subject)
        named.append(
            try database.firstRow("SELECT number FROM data_keys WHERE id = ?", [.blob(key.id.bytes)]) {
                try $0.integer(0)
            } ?? 0)
        return nil
    }

    /// - Returns: the pseudonym key to adopt if it differs from the store's and the store is still empty; otherwise
    ///   nil.
    private func follow(
        _ record: WrappedMarks, adopted: SecretKey?, _ followed: inout FollowedKeys
    ) throws -> SecretKey? {
        if record.id == marksId {
            followed.applied += 1
            try set(.marksDue, 0)
            return nil
        }
        let isUsed =
            try database.firstRow(
                "SELECT 1 FROM data_keys UNION ALL SELECT 1 FROM erasures UNION ALL SELECT 1 FROM holds LIMIT 1"
            ) { _ in true } ?? false
        guard adopted == nil, !isUsed else {
            followed.refused.append("pseudonym key \(record.id) differs from this key store's, \(marksId)")
            return nil
        }
        let secret = try key(record.wrapping).unwrap(record.wrapped, context: Self.marksContext)
        guard HexText.encode(try KeyEncryptionKey.identifier(of: secret)) == record.id else {
            followed.refused.append("the pseudonym key \(record.id) in the record does not match its id")
            return nil
        }
        followed.applied += 1
        try set(.marks, .blob(try keys.current.wrap(secret, context: Self.marksContext)))
        try set(.marksWrapping, .blob(keys.current.idBytes))
        try set(.marksDue, 0)
        return secret
    }

    func duePublications(limit: Int) throws(ArchiveError) -> [ArchiveKeyRecord] {
        try Self.attempting {
            try database.snapshot {
                let subjects = try database.rows(
                    "SELECT mark FROM due_publications LIMIT ?", [.integer(max(0, limit))]
                ) { SubjectMark(bytes: try $0.blob(0)) }
                let due = try subjects.compactMap(\.self).map { ArchiveKeyRecord.keys(try sharedState(of: $0)) }
                return try integer(.marksDue) == 0 ? due : [.marks(try wrappedMarks())] + due
            }
        }
    }

    private func wrappedMarks() throws -> WrappedMarks {
        let blob = { (name: KeyStoreValue) in
            try self.database.firstRow("SELECT value FROM store WHERE name = ?", [.text(name.rawValue)]) {
                try $0.blob(0)
            } ?? []
        }
        return WrappedMarks(id: marksId, wrapping: try blob(.marksWrapping), wrapped: try blob(.marks))
    }

    func acknowledge(_ records: [ArchiveKeyRecord]) throws(ArchiveError) {
        try Self.attempting {
            try database.transaction {
                for record in records {
                    switch record {
                    case .marks: try set(.marksDue, 0)
                    case .keys(let subject):
                        if try sharedState(of: subject.subject) == subject { try clearDue(subject.subject) }
                    }
                }
            }
        }
    }

    func erasures(ofKeysIn records: [ArchiveKeyRecord]) throws(ArchiveError) -> [ErasureRecord] {
        try Self.attempting {
            try records.compactMap { record in
                guard case .keys(let subject) = record, !subject.keys.isEmpty else { return nil }
                let erasure = try database.firstRow(
                    "SELECT up_to, reason, request FROM erasures WHERE mark = ?",
                    [.blob(subject.subject.digest.bytes)]
                ) { (try $0.integer(0), try $0.text(1), try $0.text(2)) }
                guard let (upTo, reason, request) = erasure else { return nil }
                let erased = try subject.keys.filter { key in
                    guard key.erasedUpTo ?? .min < upTo else { return false }
                    return try database.firstRow(
                        "SELECT 1 FROM data_keys WHERE id = ?", [.blob(key.id.bytes)]
                    ) { _ in true } == nil
                }
                guard !erased.isEmpty else { return nil }
                return ErasureRecord(
                    action: .erase, subject: subject.subject, marks: marksId, keys: erased.map(\.id), reason: reason,
                    request: request, requestedAt: AppStoreInstant(clampingMillisecondsSince1970: upTo))
            }
        }
    }
}
