package import ArchiveLog
internal import SQLite
internal import Synchronization

extension KeyStore {
    /// Whether any subject is under a legal hold. Queried once before a run of the retention: without holds, that run
    /// need not check keys individually for them.
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

    /// Whether objects that are encrypted under these keys may be deleted: all keys are known, and none of their
    /// subjects is under a legal hold. This host cannot tell whether the subject of an unknown key is under a hold.
    ///
    /// - Parameter hasHolds: result of ``hasHolds()`` in this run.
    package func mayPrune(_ keys: Set<ArchiveKeyId>, hasHolds: Bool) throws(ArchiveKeyError) -> Bool {
        for key in keys {
            guard let mark = try mark(ofKey: key) else { return false }
            if hasHolds, try status(of: mark).hold != nil { return false }
        }
        return true
    }
}
