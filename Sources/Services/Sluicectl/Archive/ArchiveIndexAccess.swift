internal import ArchiveKeys
internal import CommandLine
internal import Configuration

/// The index, opened together with the archive and its keys.
struct ArchiveIndexAccess {
    let logs: ArchiveLogs
    let contents: ArchivedContents
    let index: SideIndex

    /// - Throws: a `ConfigurationError` if the archive cannot be opened, or an `ArchiveError` if the keys or the
    ///   index cannot.
    init(_ configuration: Configuration) throws {
        let keys = try KeyStore(
            path: configuration[ArchivePlace.keyStore],
            keys: KeyEncryptionKeys(files: configuration[ArchivePlace.keyEncryptionKeys]), creation: .never)
        do {
            try self.init(configuration, keys: keys)
        } catch {
            keys.close()
            throw error
        }
    }

    /// - Parameter keys: an open key store. The caller closes it.
    init(_ configuration: Configuration, keys: KeyStore) throws {
        logs = try ArchiveLogs(configuration)
        contents = ArchivedContents(keys)
        index = try SideIndex(path: configuration[ArchivePlace.index], store: keys)
    }

    /// Updates the index and prints progress.
    func update(_ console: Console) async throws -> ArchiveExtent {
        try await ArchiveIndexing(logs: logs, contents: contents, index: index).run { partition, done, of in
            console.complain("indexing \(partition): \(done) of \(of)")
        }
    }
}
