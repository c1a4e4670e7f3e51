/// Versions of the SQLite schemas of the archive's key store and index, for the table of stored formats.
package enum ArchiveKeysVersions {
    package static var keyStore: Int { KeyStoreSchema.migrations.count }
    package static var index: Int { SideIndexFile.migrations.count }
}
