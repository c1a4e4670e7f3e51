package import ArchiveLog
package import Cryptography
internal import SQLite
internal import Synchronization

/// A request for the key of a record's subject.
package struct DataKeyRequest: Sendable {
    package let subject: ArchiveSubject
    /// The time at which the record's content was signed, in milliseconds since 1970
    /// (``ArchivedTopic/eventTime(of:)``).
    package let eventTimeMilliseconds: Int64

    package init(subject: ArchiveSubject, eventTimeMilliseconds: Int64) {
        self.subject = subject
        self.eventTimeMilliseconds = eventTimeMilliseconds
    }
}

/// Keys for encrypting records.
package struct SealingKeys: Sendable {
    /// The protection for each request, in the same order.
    package let protections: [ArchiveProtection]
    /// Subjects whose key has not been confirmed in the keys topic yet. Do not encrypt with an unconfirmed key.
    package let unpublished: Set<SubjectMark>
}

/// The state of a data key that a leaf references.
package enum DataKeyState: Sendable {
    case usable(SecretKey)
    /// The key was destroyed. Content signed up to this time, in milliseconds since 1970, is erased.
    case destroyed(upToMilliseconds: Int64?)
    /// The key is not in this key store. It belongs to a different one, or was created after the backup that this one
    /// was restored from.
    case unknown
}

extension KeyStore {
    /// Returns the key of each request's subject, or `erased` if the subject was erased and the record is not newer
    /// than the erasure. Missing keys are created in one transaction and are on disk on return. New keys are only
    /// proposals: a subject's first key in the keys topic is the one in use.
    ///
    /// - Throws: ``ArchiveError``: `keyStoreUnavailable`, `wrongEncryptionKey`, `damagedWrappedKey` or
    ///   `keyStoreUnusable`. In that case, no new key has been used.
    package func sealingKeys(for requests: [DataKeyRequest]) throws(ArchiveError) -> SealingKeys {
        try file.withLock { (file) throws(ArchiveError) in
            try file.sealingKeys(for: requests, mustBePublished: true)
        }
    }

    /// Returns the protections from a key store that is not shared with other hosts, for benchmarks and tests.
    package func dataKeys(for requests: [DataKeyRequest]) throws(ArchiveError) -> [ArchiveProtection] {
        try file.withLock { (file) throws(ArchiveError) in
            try file.sealingKeys(for: requests, mustBePublished: false).protections
        }
    }

    /// Returns the id of the key that a leaf references, or nil if the leaf's object is not encrypted.
    ///
    /// - Throws: ``ArchiveError`` with code `keyStoreUnavailable` if libcrypto fails.
    package func keyId(of leaf: ArchiveLeaf) throws(ArchiveError) -> ArchiveKeyId? {
        let mask = file.withLock { $0.leafMask }
        do throws(ArchiveError) {
            return try leaf.keyId(mask)
        } catch { throw ArchiveError(.keyStoreUnavailable, error.message) }
    }

    /// Returns the state of the key with this id.
    ///
    /// - Throws: ``ArchiveError``; see ``sealingKeys(for:)``.
    package func dataKey(_ id: ArchiveKeyId) throws(ArchiveError) -> DataKeyState {
        try file.withLock { (file) throws(ArchiveError) in try file.dataKey(id) }
    }

    /// Detects keys that other processes have destroyed, and overwrites this process's copies in memory. Every request
    /// for keys also does this; a process that requests no keys must call this method periodically.
    package func refresh() throws(ArchiveError) {
        try file.withLock { (file) throws(ArchiveError) in try file.refresh() }
    }
}

extension KeyStoreFile {
    func sealingKeys(
        for requests: [DataKeyRequest], mustBePublished: Bool
    ) throws(ArchiveError) -> SealingKeys {
        try refresh()
        var found: [ArchiveSubject: KeyCache.Entry] = [:]
        var missing: [DataKeyRequest] = []
        for request in requests {
            let entry = found[request.subject] ?? cache.entry(of: request.subject)
            found[request.subject] = entry
            switch entry.flatMap({ Self.protection(request, $0) }) {
            case nil: missing.append(request)
            case .encrypted where mustBePublished && entry?.isPublished == false: missing.append(request)
            default: break
            }
        }
        if !missing.isEmpty {
            let made = try Self.attempting {
                try database.transaction { try entries(of: missing) }
            }
            // Cache the new keys only after the commit, because a key that was not stored must not be used.
            for (subject, entry) in made {
                found[subject] = entry
                cache.insert(entry, of: subject)
            }
        }
        return try Self.sealingKeys(requests, found)
    }

    private static func sealingKeys(
        _ requests: [DataKeyRequest], _ entries: [ArchiveSubject: KeyCache.Entry]
    ) throws(ArchiveError) -> SealingKeys {
        var protections: [ArchiveProtection] = []
        protections.reserveCapacity(requests.count)
        var unpublished: Set<SubjectMark> = []
        for request in requests {
            // Every subject has a key or an erasure at this point. If one has neither, throw, so that the caller
            // retries: treating the record as erased would lose it.
            guard let entry = entries[request.subject], let protection = protection(request, entry) else {
                throw ArchiveError(.keyStoreUnavailable, "the key store returned no key for a record")
            }
            if case .encrypted = protection, !entry.isPublished { unpublished.insert(entry.mark) }
            protections.append(protection)
        }
        return SealingKeys(protections: protections, unpublished: unpublished)
    }

    func dataKey(_ id: ArchiveKeyId) throws(ArchiveError) -> DataKeyState {
        try Self.attempting {
            let row = try database.firstRow(
                """
                SELECT k.mark, k.wrapping, k.wrapped, e.up_to
                FROM data_keys k LEFT JOIN erasures e ON e.mark = k.mark WHERE k.id = ?
                """, [.blob(id.bytes)]
            ) { (try $0.blob(0), try $0.blob(1), try $0.blob(2), try $0.integerOrNil(3)) }
            guard let (mark, wrapping, wrapped, upTo) = row else { return .unknown }
            guard wrapping != Self.destroyedWrapping else { return .destroyed(upToMilliseconds: upTo) }
            return .usable(try key(wrapping).unwrap(wrapped, context: mark + id.bytes))
        }
    }

    /// Placeholder in the rows of destroyed keys.
    static let destroyedWrapping = [UInt8](repeating: 0, count: 8)
    static let destroyedKey = [UInt8](repeating: 0, count: KeyEncryptionKey.wrappedByteCount)

    /// Returns the protection for a request according to a cache entry, or nil if a key must be created.
    private static func protection(_ request: DataKeyRequest, _ entry: KeyCache.Entry) -> ArchiveProtection? {
        if let erased = entry.erasedUpTo, request.eventTimeMilliseconds <= erased { return .erased }
        return entry.key.map { .encrypted($0) }
    }

    /// Reads the subjects' entries from the file, and creates missing keys. Must run inside a transaction.
    private func entries(of requests: [DataKeyRequest]) throws -> [ArchiveSubject: KeyCache.Entry] {
        var entries: [ArchiveSubject: KeyCache.Entry] = [:]
        for request in requests {
            var entry = try entries[request.subject] ?? read(request.subject)
            if Self.protection(request, entry) == nil {
                entry.key = try makeKey(entry.mark, erasedUpTo: entry.erasedUpTo)
                entry.isPublished = false
            }
            entries[request.subject] = entry
        }
        return entries
    }

    private func read(_ subject: ArchiveSubject) throws -> KeyCache.Entry {
        let mark = try mark(of: subject)
        let bytes = mark.digest.bytes
        let erased = try database.firstRow("SELECT up_to FROM erasures WHERE mark = ?", [.blob(bytes)]) {
            try $0.integer(0)
        }
        guard let row = try keysInUse(of: mark).first else {
            return KeyCache.Entry(mark: mark, key: nil, erasedUpTo: erased)
        }
        let secret = try key(row.key.wrapping).unwrap(row.key.wrapped, context: bytes + row.key.id.bytes)
        return KeyCache.Entry(
            mark: mark, key: ArchiveDataKey(id: row.key.id, secret: secret, mask: leafMask), erasedUpTo: erased,
            isPublished: row.rank != nil)
    }

    private func makeKey(_ mark: SubjectMark, erasedUpTo: Int64?) throws -> ArchiveDataKey {
        let (id, secret) = try ArchiveKeyId.ofNewKey()
        let wrapped = try keys.current.wrap(secret, context: mark.digest.bytes + id.bytes)
        try insert(
            SubjectKeys.Key(id: id, wrapping: keys.current.idBytes, wrapped: wrapped, erasedUpTo: erasedUpTo), of: mark)
        try setDue(mark)
        return ArchiveDataKey(id: id, secret: secret, mask: leafMask)
    }
}
