package import ArchiveLog
internal import SQLite
internal import Synchronization

/// The last checkpoint notes that this host signed for a log. They are in the key store because its volume and backups
/// are separate from the archive's, so losing or restoring the archive does not affect them.
package struct SignedHeadRow: Equatable, Sendable {
    /// The bytes of the newest note that is known to be published.
    package var published: [UInt8]?
    /// The bytes of a newer note that was signed and may have been published.
    package var signed: [UInt8]?

    package init(published: [UInt8]?, signed: [UInt8]?) {
        self.published = published
        self.signed = signed
    }
}

extension KeyStore {
    /// Returns the last signed notes of the log with this origin; nil if there are none.
    ///
    /// - Throws: ``ArchiveError`` with code `keyStoreUnavailable` or `keyStoreUnusable`.
    package func signedHead(of origin: String) throws(ArchiveError) -> SignedHeadRow? {
        try file.withLock { (file) throws(ArchiveError) in try file.signedHead(of: origin) }
    }

    /// Replaces a log's notes. The new notes are durable on return.
    ///
    /// - Throws: the same codes as ``signedHead(of:)``.
    package func setSignedHead(_ row: SignedHeadRow, of origin: String) throws(ArchiveError) {
        try file.withLock { (file) throws(ArchiveError) in try file.setSignedHead(row, of: origin) }
    }
}

extension KeyStoreFile {
    func signedHead(of origin: String) throws(ArchiveError) -> SignedHeadRow? {
        try Self.attempting {
            try database.firstRow("SELECT published, signed FROM signed_heads WHERE origin = ?", [.text(origin)]) {
                SignedHeadRow(
                    published: try $0.isNull(0) ? nil : $0.blob(0), signed: try $0.isNull(1) ? nil : $0.blob(1))
            }
        }
    }

    func setSignedHead(_ row: SignedHeadRow, of origin: String) throws(ArchiveError) {
        try Self.attempting {
            let value = { (bytes: [UInt8]?) -> SQLiteValue in bytes.map { .blob($0) } ?? .null }
            try database.run(
                """
                INSERT INTO signed_heads (origin, published, signed) VALUES (?, ?, ?)
                ON CONFLICT (origin) DO UPDATE SET published = excluded.published, signed = excluded.signed
                """, [.text(origin), value(row.published), value(row.signed)])
        }
    }
}
