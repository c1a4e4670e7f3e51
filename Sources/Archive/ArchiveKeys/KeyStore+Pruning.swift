package import ArchiveLog
internal import SQLite
internal import Synchronization

extension KeyStore {
    /// Returns whether any subject is under a legal hold. Call this once before a retention run: without holds, the run
    /// need not check each key.
    package func hasHolds() throws(ArchiveError) -> Bool {
        try file.withLock { (file) throws(ArchiveError) in
            try KeyStoreFile.attempting {
                try file.database.firstRow("SELECT 1 FROM holds LIMIT 1") { _ in true } ?? false
            }
        }
    }

    /// Returns whether the objects of these leaves may be deleted; see
    /// ``mayPrune(_:hasHolds:)-(Set<ArchiveKeyId>,Bool)``.
    package func mayPrune(_ leaves: [ArchiveLeaf], hasHolds: Bool) throws(ArchiveError) -> Bool {
        var keys: Set<ArchiveKeyId> = []
        for leaf in leaves {
            if let key = try keyId(of: leaf) { keys.insert(key) }
        }
        return try mayPrune(keys, hasHolds: hasHolds)
    }

    /// Returns whether objects encrypted under these keys may be deleted: all keys are in this key store, and none of
    /// their subjects is under a legal hold. For a key that is not in this key store, this host cannot tell whether
    /// there is a hold.
    ///
    /// - Parameter hasHolds: the result of ``hasHolds()`` in this run.
    package func mayPrune(_ keys: Set<ArchiveKeyId>, hasHolds: Bool) throws(ArchiveError) -> Bool {
        for key in keys {
            guard let mark = try mark(ofKey: key) else { return false }
            if hasHolds, try status(of: mark).hold != nil { return false }
        }
        return true
    }
}
