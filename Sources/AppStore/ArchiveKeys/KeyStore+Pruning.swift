package import ArchiveFormat
internal import SQLite
internal import Synchronization

extension KeyStore {
    /// Whether any subject is under a legal hold. Asked once before a run of the retention: with none, keys need not be
    /// looked at one by one for it.
    package func hasHolds() throws(ArchiveKeyError) -> Bool {
        try file.withLock { (file) throws(ArchiveKeyError) in
            try KeyStoreFile.attempting {
                try file.database.firstRow("SELECT 1 FROM holds LIMIT 1") { _ in true } ?? false
            }
        }
    }

    /// Whether the objects of these leaves may be deleted, see ``mayPrune(_:hasHolds:)-(Set<ArchiveKeyId>,Bool)``.
    package func mayPrune(_ leaves: [ArchiveLeaf], hasHolds: Bool) throws(ArchiveKeyError) -> Bool {
        var keys: Set<ArchiveKeyId> = []
        for leaf in leaves {
            if let key = try keyId(of: leaf) { keys.insert(key) }
        }
        return try mayPrune(keys, hasHolds: hasHolds)
    }

    /// Whether what is encrypted under these keys may be deleted: no subject of them is under a legal hold, and all are
    /// known. This host cannot say whether the subject of an unknown key is held.
    ///
    /// - Parameter hasHolds: what ``hasHolds()`` said in this run.
    package func mayPrune(_ keys: Set<ArchiveKeyId>, hasHolds: Bool) throws(ArchiveKeyError) -> Bool {
        for key in keys {
            guard let mark = try mark(ofKey: key) else { return false }
            if hasHolds, try status(of: mark).hold != nil { return false }
        }
        return true
    }
}
