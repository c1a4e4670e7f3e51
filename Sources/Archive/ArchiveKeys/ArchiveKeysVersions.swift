/// The schema versions of the key store and the index, printed by `sluicectl version` as JSON.
package enum ArchiveKeysVersions {
    package static var keyStore: Int { KeyStoreSchema.migrations.count }
    package static var index: Int { SideIndexFile.migrations.count }
}
