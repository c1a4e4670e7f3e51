internal import ObjectStorage
internal import TransparencyLog

/// Reads the index of the first leaf whose object is retained.
struct RetentionReading: Sendable {
    let reader: LogReader
    let origin: String
    /// The tree size of the checkpoint being verified.
    let size: Int

    /// - Returns: the index, or 0 if no object was ever deleted.
    /// - Throws: ``ArchiveError`` if the object is not this log's retention statement, or was not signed with a given
    ///   key.
    func minimum() async throws(ArchiveError) -> Int {
        let name = try reader.name { () throws(ObjectStoreError) in try reader.names.retention() }
        guard let bytes = try await reader.bytes(name) else { return 0 }
        let note: SignedNote
        do throws(TransparencyLogError) {
            note = try SignedNote(bytes: bytes)
            if let verifiers = reader.verifiers { _ = try note.verified(by: verifiers.keys(of: origin)) }
        } catch { throw ArchiveError(error, reading: name) }
        guard let retention = Retention(text: note.text), KeyName.areEqual(retention.origin, origin),
            try await isWithinLog(retention.minimum)
        else { throw ArchiveError(.corruptObject, "not this log's retention statement", object: name) }
        return retention.minimum
    }

    /// Returns whether the minimum is within the log, which may have grown and been pruned since the checkpoint was
    /// read.
    private func isWithinLog(_ minimum: Int) async throws(ArchiveError) -> Bool {
        if minimum <= size { return true }
        return try await minimum <= reader.presentSize()
    }
}
