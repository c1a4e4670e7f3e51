internal import Configuration
internal import Foundation
internal import Lifecycle

/// The database under `data.dir`.
enum EntitlementsFile {
    static let name = "entitlements.sqlite"

    /// The path of the database; its directory is made where there is none.
    ///
    /// - Throws: one clear line with the setting and the fix.
    static func path(_ configuration: Configuration) throws(StartupError) -> String {
        let directory = configuration[EntitlementsSettings.dataDirectory]
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw StartupError(
                "cannot make the directory \(directory)", setting: EntitlementsSettings.dataDirectory.key,
                fix: "Name a directory that this user may write to", exitCode: .configuration)
        }
        return directory + "/" + name
    }
}
