/// The SQLite schema version of a keyed state's database, as listed in the table of stored formats. A file with a later
/// version is refused.
package enum StateVersions {
    package static var database: Int { StateSchema.migrations.count }
}
