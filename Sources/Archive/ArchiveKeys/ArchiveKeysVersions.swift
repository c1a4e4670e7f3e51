/// Versions of the SQLite schemas of the archive's key store and index, which `sluicectl version` reports as JSON.
package enum ArchiveKeysVersions {
    package static var keyStore: Int { KeyStoreSchema.migrations.count }
    package static var index: Int { SideIndexFile.migrations.count }
}
