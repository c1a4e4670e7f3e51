package import ArchiveKeys
package import ArchiveLog
package import Configuration
internal import Cryptography
internal import Foundation
package import ObjectStorage
internal import TransparencyLog

/// Where an archive is, and the keys to it: the settings that `sluice-archive` and `sluicectl archive` share, and what they
/// stand for. Names and defaults are a contract.
package enum ArchivePlace {
    package static let url = Setting.string(
        "archive.url", default: "./data/archive",
        help: "Where the archive is: a directory, or s3://bucket/prefix.", example: "s3://example-archive/appstore")
    /// How the bucket is reached, where the archive is in one.
    package static let bucket = ObjectStoreSettings(prefix: "archive")
    /// What ``openStore(_:creating:)`` reads.
    package static let storeSettings: [any AnySetting] = [url] + bucket.all
    package static let origin = Setting.string(
        "archive.origin",
        help: """
            Name of the archive, as a URL without its scheme: the first line of each checkpoint begins with it, and the \
            keys are named after it. It never changes.
            """, example: "example.com/appstore-archive")
    package static let signingKeys = Setting.readableFiles(
        "archive.signing.key.file",
        help: """
            PEM files of Ed25519 keys that sign the checkpoints; while keys are exchanged the new and the old one.
            """, example: "/run/secrets/archive-signing.pem")
    package static let keyEncryptionKeys = Setting.readableFiles(
        "archive.key.encryption.key.file",
        help: """
            Files with the keys that the key store is encrypted with, 32 bytes each: the first encrypts, the others are \
            those before it.
            """, example: "/run/secrets/archive-kek")
    package static let keyStore = Setting.string(
        "archive.key.store",
        help: """
            SQLite file with the key of each purchase. Put it on another volume, with other backups, than the archive: \
            erasing a person means destroying a key here.
            """, example: "/var/lib/sluice-keys/keys.sqlite")
    package static let index = Setting.string(
        "archive.index", default: "./data/archive-index.sqlite",
        help: """
            SQLite file that finds records of the archive by their identifiers, for sluicectl archive; it can be deleted \
            and made again.
            """)

    /// The store of the archive.
    ///
    /// - Throws: a `ConfigurationError` that names the setting.
    package static func openStore(
        _ configuration: Configuration, creating: Bool
    ) throws(ConfigurationError) -> any ObjectStore {
        let text = configuration[url]
        do throws(ObjectStoreError) {
            return try bucket.open(ObjectStoreURL(absolute(text)), configuration, creating: creating)
        } catch {
            throw wrong(url.key, error.message)
        }
    }

    /// What signs the checkpoints.
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

    /// The keys of the archive's records. One that is not there is made for an archive that has no log yet, and only then:
    /// what is archived cannot be read without the keys it was encrypted with.
    ///
    /// - Throws: a `ConfigurationError` that names the setting.
    package static func keyStore(
        _ configuration: Configuration, archive: any ObjectStore
    ) async throws(ConfigurationError) -> KeyStore {
        let isNew: Bool
        do throws(ObjectStoreError) {
            isNew = try await archive.folders(in: nil).isEmpty
        } catch { throw wrong(url.key, error.message) }
        do throws(ArchiveKeyError) {
            return try KeyStore(
                path: configuration[keyStore], keys: KeyEncryptionKeys(files: configuration[keyEncryptionKeys]),
                creation: isNew ? .ifMissing : .never)
        } catch {
            throw wrong(
                [.unreadableKey, .wrongKey].contains(error.code) ? keyEncryptionKeys.key : keyStore.key, error.message)
        }
    }

    private static func wrong(_ key: String, _ message: String) -> ConfigurationError {
        ConfigurationError(code: .wrongValue, key: key, message: message)
    }

    /// A relative path is one below the working directory.
    private static func absolute(_ text: String) -> String {
        guard !text.contains("://"), !text.hasPrefix("/") else { return text }
        return URL(fileURLWithPath: text).standardizedFileURL.path
    }
}
