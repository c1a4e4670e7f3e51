internal import Configuration
internal import Foundation
internal import Lifecycle

/// The database under `data.dir`.
enum EntitlementsFile {
    static let name = "entitlements.sqlite"

    struct Opened {
        let store: EntitlementsStore
        let reader: EntitlementsReader
    }

    /// Opens the database, made with its directory where there is none.
    ///
    /// - Throws: one clear line with the setting and the fix.
    static func open(_ configuration: Configuration) throws(StartupError) -> Opened {
        let directory = configuration[EntitlementsSettings.dataDirectory]
        let path = directory + "/" + name
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw StartupError(
                "cannot make the directory \(directory)", setting: EntitlementsSettings.dataDirectory.key,
                fix: "Name a directory that this user may write to", exitCode: .configuration)
        }
        do {
            let store = try EntitlementsStore(path: path)
            return Opened(store: store, reader: try EntitlementsReader(path: path))
        } catch {
            throw StartupError(
                "cannot open \(path): \(error.message)", setting: EntitlementsSettings.dataDirectory.key,
                fix: fix(error.code, path))
        }
    }

    private static func fix(_ code: EntitlementsStoreError.Code, _ path: String) -> String {
        switch code {
        case .ownedByAnother: "Stop the other process, or give this one a directory of its own"
        case .damaged: "Move \(path) away and start again: it is built anew from Kafka"
        case .newer: "Run the version that wrote it, or a later one"
        case .sqlite: "Name a directory that this user may write to and that has room"
        }
    }
}
