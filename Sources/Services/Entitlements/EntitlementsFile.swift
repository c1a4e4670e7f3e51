internal import Configuration
internal import Foundation
internal import KeyedState
internal import Lifecycle
internal import PipelineRuntime

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

    /// Why the database of a path cannot be opened, as one clear line.
    static func refusal(_ error: StateError, _ path: String) -> StartupError {
        let fix =
            switch error.code {
            case .ownedByAnother: "Stop the other process, or give this one a directory of its own"
            case .damaged: "Move \(path) away and start again: it is built anew from Kafka"
            case .newer: "Run the version that wrote it, or a later one"
            default: "Name a directory that this user may write to and that has room"
            }
        return StartupError(
            "cannot open \(path): \(error.message)", setting: EntitlementsSettings.dataDirectory.key, fix: fix)
    }
}
