internal import ArchiveKeys
internal import ArchiveLog

/// Stores the last signed notes for each log in the key store, which is on a different volume from the archive.
struct KeyStoreHeads: SignedHeads {
    let keys: KeyStore

    func notes(of origin: String) throws -> SignedHeadNotes {
        let row = try keys.signedHead(of: origin)
        return SignedHeadNotes(published: row?.published, signed: row?.signed)
    }

    func keep(_ notes: SignedHeadNotes, of origin: String) throws {
        try keys.setSignedHead(SignedHeadRow(published: notes.published, signed: notes.signed), of: origin)
    }
}
