internal import AppStoreModel
internal import ArchiveKeys
internal import Configuration
internal import Lifecycle

/// The flags of `sluicectl archive verify` and `prove`.
enum ArchiveProofOptions {
    static let key = Setting.string(
        "key",
        help: """
            The archive's public key, as sluicectl archive key show prints it, or a file with one a line.
            """, example: "archive.pub"
    ).optional.onCommandLineOnly
    static let unsigned = Setting.flag(
        "unsigned", help: "Without --key: compare the files with one another, and check no signature.")
    static let since = Setting(
        "since", .instant,
        help: "Read only payloads archived then or later. The tree is always verified as a whole."
    ).optional.onCommandLineOnly
    static let witnesses = Setting.strings(
        "witness",
        help: """
            The verifier key of a witness that is believed, or several: each must have cosigned the log of checkpoints, \
            or --quorum of them.
            """, example: "witness.example/w1+3e5a1b9c+BA…"
    ).optional.onCommandLineOnly
    static let quorum = Setting.integer(
        "quorum", in: 1...100, help: "So many of the witnesses must have cosigned. Default: all."
    ).optional.onCommandLineOnly
    static let policy = Setting.string(
        "policy",
        help: """
            A policy file (c2sp.org/tlog-policy) in place of --witness and --quorum: witnesses, groups of them and the \
            quorum. Its log lines, named <archive.origin>/checkpoint-log, are the archive's key where --key is not given.
            """, example: "archive.policy"
    ).optional.onCommandLineOnly
    static let from = Setting.string(
        "from",
        help: """
            A file with checkpoints up to which an earlier run has verified the archive, as --save writes it. What they \
            cover is not read again. Without the file everything is.
            """, example: "verified-checkpoints"
    ).optional.onCommandLineOnly
    static let save = Setting.string(
        "save", help: "A file that the verified checkpoints are written to when the archive is sound, for --from.",
        example: "verified-checkpoints"
    ).optional.onCommandLineOnly
    static let checkpointFrom = Setting.string(
        "checkpoint-from",
        help: """
            Checkpoints from elsewhere that the archive must continue: a file with one or several, topic for those \
            that sluice-archive published to Kafka, or store for those in archive.anchor.url.
            """, example: "anchored-checkpoints"
    ).optional.onCommandLineOnly
    static let retention = Setting.duration(
        "retention", in: .zero...(.seconds(36_500 * 86_400)),
        help: """
            How long payloads are kept, as archive.retention has it: each that is gone must have been announced and \
            deleted by archived records, a day apart, after so long.
            """, example: "400d"
    ).optional.onCommandLineOnly
    static let againstKafka = Setting.flag(
        "against-kafka", help: "Compare with what the topics still hold; needs no key of the records.")
    static let payloads = Setting.flag(
        "payloads",
        help: """
            Decrypt the payloads, and verify Apple's signature on each notification as of its receipt. Needs the key \
            store.
            """)
    static let keyStore = ArchivePlace.keyStore.optional
    static let keyEncryptionKeys = ArchivePlace.keyEncryptionKeys.optional
    /// Opens the key store for a command that requires one.
    ///
    /// - Throws: a `StartupError` if no key store is given, an `ArchiveKeyError` if it cannot be opened.
    static func openKeys(_ configuration: Configuration) throws -> KeyStore {
        guard let path = configuration[keyStore], let files = configuration[keyEncryptionKeys] else {
            throw StartupError(
                "payloads are read with the key store and its key", setting: keyStore.key,
                fix: "Give --archive.key.store and --archive.key.encryption.key.file", exitCode: .configuration)
        }
        return try KeyStore(path: path, keys: KeyEncryptionKeys(files: files), creation: .never)
    }

    static let treeOnly = Setting.flag("tree-only", help: "Read no payloads: leaves, tiles and checkpoints alone.")

    static let leaf = Setting.integer(
        "leaf", in: 0...Int.max, help: "The leaf's number in its log, in place of @OFFSET."
    ).optional.onCommandLineOnly
    static let proofFile = Setting.string("to", help: "The file to write. Default: standard output.")
        .optional.onCommandLineOnly
    static let check = Setting.string(
        "check", help: "Check the proof in this file, offline; needs --key.", example: "notification.tlog-proof"
    ).optional.onCommandLineOnly
}
