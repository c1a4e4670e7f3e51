internal import ArchiveKeys
package import Configuration
internal import ObjectStorage
internal import TransparencyLog

extension ArchiveSettings {
    /// A store to which the service writes.
    package struct Store: Sendable {
        package let setting: String
        /// The directory, or the bucket's URL.
        package let location: String
        package let isBucket: Bool
        /// Opens the store, lists it, and checks that it supports the conditional writes that the service needs.
        package let check: @Sendable () async throws -> Void
    }

    /// Returns the archive's store and, if there is one, the second store for checkpoints.
    package static func stores(_ configuration: Configuration) -> [Store] {
        let archive = store(ArchivePlace.url.key, configuration[ArchivePlace.url]) {
            try ArchivePlace.openStore(configuration, creating: false)
        }
        let anchor = configuration[ArchivePlace.anchorURL].map { location in
            store(ArchivePlace.anchorURL.key, location) {
                try ArchivePlace.openAnchor(configuration, creating: false)
            }
        }
        return [archive] + [anchor].compactMap { $0 }
    }

    private static func store(
        _ setting: String, _ location: String, open: @escaping @Sendable () throws -> (any ObjectStore)?
    ) -> Store {
        let isFile = location.hasPrefix("file://")
        return Store(
            setting: setting, location: isFile ? String(location.dropFirst("file://".count)) : location,
            isBucket: location.hasPrefix("s3://")
        ) {
            guard let store = try open() else { return }
            _ = try await store.folders(in: nil)
            try await store.lock(try ObjectName("doctor")).release()
        }
    }

    /// Returns the witnesses' URLs, and the setting that specifies the witnesses.
    ///
    /// - Throws: a `ConfigurationError` if the configured file is unreadable or invalid, or lists no witnesses.
    package static func witnessURLs(
        _ configuration: Configuration
    ) throws(ConfigurationError) -> (setting: String, urls: [String]) {
        (anchorWitnesses.key, try witnesses(configuration).map(\.url))
    }

    /// Returns the path of the file that contains the purchases' keys, and the setting that specifies the path.
    package static func keyStore(_ configuration: Configuration) -> (setting: String, path: String) {
        (ArchivePlace.keyStore.key, configuration[ArchivePlace.keyStore])
    }
}
