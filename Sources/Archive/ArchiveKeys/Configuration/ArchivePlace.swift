package import ArchiveLog
package import Configuration
internal import Cryptography
internal import FoundationEssentials
package import ObjectStorage
internal import TransparencyLog

/// The location of an archive and its keys: the settings shared by `sluice-archive` and `sluicectl archive`, and the
/// objects created from them. The names and defaults of the settings are a public contract.
package enum ArchivePlace {
    package static let url = Setting.string(
        "archive.url", default: "./data/archive",
        help: "Location of the archive: a directory, or s3://bucket/prefix.", example: "s3://example-archive/appstore")
    /// Access to the bucket, if the archive is in one.
    package static let bucket = ObjectStoreSettings(prefix: "archive")
    /// The settings that ``openStore(_:creating:)`` reads.
    package static let storeSettings: [any AnySetting] = [url] + bucket.all
    package static let origin = Setting.string(
        "archive.origin",
        help: """
            Name of the archive: a URL without its scheme. The first line of each checkpoint and the names of the keys \
            begin with it. It must never change.
            """, example: "example.com/appstore-archive")
    package static let signingKeys = Setting.readableFiles(
        "archive.signing.key.file",
        help: """
            PEM files with the Ed25519 keys that sign the checkpoints; during a rotation, both the new and the old \
            key.
            """, example: "/run/secrets/archive-signing.pem")
    package static let keyEncryptionKeys = Setting.readableFiles(
        "archive.key.encryption.key.file",
        help: """
            Files with the keys that encrypt the key store, 32 bytes each. The first one encrypts; the others are \
            earlier keys, used only for decryption.
            """, example: "/run/secrets/archive-kek")
    package static let keyStore = Setting.string(
        "archive.key.store",
        help: """
            SQLite file with the key for each purchase. Keep it on a different volume and in different backups than \
            the archive, because erasing a person destroys a key in this file.
            """, example: "/var/lib/sluice-keys/keys.sqlite")
    package static let index = Setting.string(
        "archive.index", default: "./data/archive-index.sqlite",
        help: """
            SQLite index that sluicectl archive uses to find records by identifier. It can be deleted and rebuilt at \
            any time.
            """)

    package static let anchorURL = Setting.string(
        "archive.anchor.url",
        help: """
            A second checkpoint store that the archive's writers cannot change: a directory on \
            another host, or s3://bucket/prefix in another account.
            """, example: "s3://example-anchor/appstore"
    ).optional
    /// Access to the second checkpoint store, if it is a bucket.
    package static let anchorBucket = ObjectStoreSettings(prefix: "archive.anchor")
    /// The settings of the second checkpoint store, for commands that work without it.
    package static let anchorReading: [any AnySetting] =
        [anchorURL] + ObjectStoreSettings(prefix: "archive.anchor", checksFiles: false).all

    /// Opens the archive's store.
    ///
    /// - Parameter notice: called with conditions that need an operator's attention, such as a credentials file that
    ///   has become unreadable.
    /// - Throws: a `ConfigurationError` that names the setting.
    package static func openStore(
        _ configuration: Configuration, creating: Bool, notice: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(ConfigurationError) -> any ObjectStore {
        try open(url.key, configuration[url], bucket, configuration, creating: creating, notice)
    }

    /// Opens the second checkpoint store; returns nil if none is configured.
    ///
    /// - Throws: a `ConfigurationError` that names the setting.
    package static func openAnchor(
        _ configuration: Configuration, creating: Bool, notice: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(ConfigurationError) -> (any ObjectStore)? {
        guard let text = configuration[anchorURL] else { return nil }
        return try open(anchorURL.key, text, anchorBucket, configuration, creating: creating, notice)
    }

    /// Checks the stores, keys and key store for problems that would prevent startup. It creates nothing, contacts no
    /// service and opens no database, so only startup detects whether the key store matches the keys and the archive.
    ///
    /// - Throws: a `ConfigurationError` that names the setting.
    package static func check(_ configuration: Configuration) throws(ConfigurationError) {
        try check(url.key, configuration[url], bucket, configuration)
        if let anchor = configuration[anchorURL] { try check(anchorURL.key, anchor, anchorBucket, configuration) }
        do throws(ArchiveError) {
            _ = try KeyEncryptionKeys(files: configuration[keyEncryptionKeys])
        } catch { throw wrong(keyEncryptionKeys.key, error.message) }
        let parent = URL(fileURLWithPath: configuration[keyStore]).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: parent), DirectoryPath.obstacle(to: parent) == nil else {
            throw wrong(
                keyStore.key, "the directory \(parent) does not exist: mount its volume, or create the directory.")
        }
    }

    private static func check(
        _ key: String, _ text: String, _ bucket: ObjectStoreSettings, _ configuration: Configuration
    ) throws(ConfigurationError) {
        do throws(ObjectStoreError) {
            try bucket.check(ObjectStoreURL(absolute(text)), configuration)
        } catch { throw wrong(key, error.message) }
    }

    private static func open(
        _ key: String, _ text: String, _ bucket: ObjectStoreSettings, _ configuration: Configuration, creating: Bool,
        _ notice: @escaping @Sendable (String) -> Void
    ) throws(ConfigurationError) -> any ObjectStore {
        do throws(ObjectStoreError) {
            return try bucket.open(ObjectStoreURL(absolute(text)), configuration, creating: creating, notice: notice)
        } catch {
            throw wrong(key, error.message)
        }
    }

    /// Returns the checkpoint signer.
    ///
    /// - Throws: a `ConfigurationError` that names the setting.
    package static func signer(_ configuration: Configuration) throws(ConfigurationError) -> CheckpointSigner {
        var keys: [PrivateKey] = []
        for file in configuration[signingKeys] {
            do throws(CryptographyError) {
                keys.append(try PrivateKey(ed25519ContentsOf: file))
            } catch { throw wrong(signingKeys.key, "\(file): \(error.message)") }
        }
        do throws(TransparencyLogError) {
            return try CheckpointSigner(archive: configuration[origin], keys: keys)
        } catch { throw wrong(origin.key, error.message) }
    }

    /// Opens the key store for an archive writer, and creates it if it is missing. If the archive already has logs, a
    /// new key store is filled from the keys topic; see ``KeyStore/isJoining``.
    ///
    /// - Throws: a `ConfigurationError` that names the setting.
    package static func writersKeyStore(
        _ configuration: Configuration, archive: any ObjectStore
    ) async throws(ConfigurationError) -> KeyStore {
        let isNew: Bool
        do throws(ObjectStoreError) {
            isNew = try await archive.folders(in: nil).isEmpty
        } catch { throw wrong(url.key, error.message) }
        return try openKeyStore(configuration, creation: isNew ? .ifMissing : .joining)
    }

    /// Opens the key store for an archive reader. A missing key store is an error.
    ///
    /// - Throws: a `ConfigurationError` that names the setting.
    package static func keyStore(_ configuration: Configuration) throws(ConfigurationError) -> KeyStore {
        try openKeyStore(configuration, creation: .never)
    }

    private static func openKeyStore(
        _ configuration: Configuration, creation: KeyStore.Creation
    ) throws(ConfigurationError) -> KeyStore {
        do throws(ArchiveError) {
            return try KeyStore(
                path: configuration[keyStore], keys: KeyEncryptionKeys(files: configuration[keyEncryptionKeys]),
                creation: creation)
        } catch {
            throw wrong(
                [.unreadableEncryptionKey, .wrongEncryptionKey].contains(error.code)
                    ? keyEncryptionKeys.key : keyStore.key, error.message)
        }
    }

    private static func wrong(_ key: String, _ message: String) -> ConfigurationError {
        ConfigurationError(code: .wrongValue, key: key, message: message)
    }

    /// Resolves a relative path against the working directory.
    private static func absolute(_ text: String) -> String {
        guard !text.contains("://"), !text.hasPrefix("/") else { return text }
        return URL(fileURLWithPath: text).standardizedFileURL.path
    }
}
