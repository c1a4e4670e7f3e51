internal import AppStoreModel
internal import ArchiveKeys
internal import Configuration
internal import Lifecycle

/// The flags of `sluicectl archive verify` and `prove`.
enum ArchiveProofOptions {
    static let key = Setting.string(
        "key",
        help: """
            The archive's public key, as printed by sluicectl archive key show, or a file with one key per line.
            """, example: "archive.pub"
    ).optional.onCommandLineOnly
    static let unsigned = Setting.flag(
        "unsigned", help: "Without --key: compare the files with each other without checking signatures.")
    static let from = Setting(
        "from", .instant,
        help: "Read only payloads archived at or after this time. The tree is always verified completely."
    ).optional.onCommandLineOnly.formerly("since")
    static let witnesses = Setting.strings(
        "witness",
        help: """
            The verifier keys of one or more trusted witnesses. Each of them, or --quorum of them, must have cosigned \
            the checkpoint log.
            """, example: "witness.example/w1+3e5a1b9c+BA…"
    ).optional.onCommandLineOnly
    static let quorum = Setting.integer(
        "quorum", in: 1...100, help: "Number of witnesses that must have cosigned. Default: all."
    ).optional.onCommandLineOnly
    static let policy = Setting.string(
        "policy",
        help: """
            A policy file (c2sp.org/tlog-policy) instead of --witness and --quorum: witnesses, groups of witnesses and \
            the quorum. Without --key, its log lines named <archive.origin>/checkpoint-log provide the archive's key.
            """, example: "archive.policy"
    ).optional.onCommandLineOnly
    static let resumeFrom = Setting.string(
        "resume-from",
        help: """
            A file written by --save, with the checkpoints up to which an earlier run verified the archive. Leaves \
            that they cover are not read again, nor are their payloads, even if the earlier run had --tree-only or \
            --from. If the file does not exist, everything is read.
            """, example: "verified-checkpoints"
    ).optional.onCommandLineOnly.formerly("from") { !$0.resemblesTime }
    static let save = Setting.string(
        "save",
        help: "File to write the verified checkpoints to if the archive is sound; pass it to --resume-from later.",
        example: "verified-checkpoints"
    ).optional.onCommandLineOnly
    static let checkpointFrom = Setting.string(
        "checkpoint-from",
        help: """
            External checkpoints that the archive must be consistent with: a file with one or more, topic for the \
            checkpoints that sluice-archive published to Kafka, or store for the checkpoints in archive.anchor.url.
            """, example: "anchored-checkpoints"
    ).optional.onCommandLineOnly
    static let retention = Setting.duration(
        "retention", in: .zero...(.seconds(36_500 * 86_400)),
        help: """
            How long payloads are kept, as in archive.retention. Archived records must show that each missing payload \
            was deleted after this time, and that its deletion was announced a day in advance.
            """, example: "400d"
    ).optional.onCommandLineOnly
    static let againstKafka = Setting.flag(
        "against-kafka", help: "Compare with the records that are still in Kafka; requires no decryption keys.")
    static let payloads = Setting.flag(
        "payloads",
        help: """
            Decrypt the payloads, and verify Apple's signature on each notification as of its receipt. Requires the \
            key store. Also verifies the logs of erasures and certificates completely, even if LOG or --resume-from \
            omits them.
            """)
    static let keyStore = ArchivePlace.keyStore.optional
    static let keyEncryptionKeys = ArchivePlace.keyEncryptionKeys.optional
    /// Opens the key store for a command that requires one.
    ///
    /// - Throws: a `StartupError` if no key store is specified, or an `ArchiveError` if it cannot be opened.
    static func openKeys(_ configuration: Configuration) throws -> KeyStore {
        guard let path = configuration[keyStore], let files = configuration[keyEncryptionKeys] else {
            throw StartupError(
                "payloads cannot be read without the key store and its key", setting: keyStore.key,
                fix: "Set --archive.key.store and --archive.key.encryption.key.file", exitCode: .configuration)
        }
        return try KeyStore(path: path, keys: KeyEncryptionKeys(files: files), creation: .never)
    }

    static let treeOnly = Setting.flag("tree-only", help: "Read only leaves, tiles and checkpoints, not payloads.")

    static let leaf = Setting.integer(
        "leaf", in: 0...Int.max, help: "The leaf's index in its log, instead of @OFFSET."
    ).optional.onCommandLineOnly
    static let outputFile = Setting.string("output-file", help: "The file to write. Default: standard output.")
        .optional.onCommandLineOnly.formerly("to")
    static let check = Setting.string(
        "check", help: "Check the proof in this file offline; requires --key.", example: "notification.tlog-proof"
    ).optional.onCommandLineOnly
}
