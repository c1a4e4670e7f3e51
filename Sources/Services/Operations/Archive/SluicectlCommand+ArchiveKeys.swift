internal import ArchiveKeys
internal import Configuration
internal import ServiceKit

/// The command lines of `sluicectl archive` for keys and persons.
extension SluicectlCommand {
    static let archivePersons = [archiveFind, archiveShow, archiveErase, archiveHold, archiveRelease, archiveKey]

    private static let reading = ConfigurationSchema(
        [
            OperationsSettings.topicsPrefix, ArchivePlace.keyStore, ArchivePlace.keyEncryptionKeys, ArchivePlace.index,
            ArchiveOptions.limit, OperationsSettings.output,
        ] + ArchivePlace.storeSettings)
    private static let identifiers =
        "an identifier of a notification, a purchase, a transaction, an account, a request or an external purchase"

    private static let archiveFind = Command(
        "find", summary: "Find records of the archive by an identifier.",
        discussion: """
            Looks into an index (archive.index) that holds identifiers as HMACs alone, and brings it up to date with the \
            archive before. The first time it reads the whole archive. Exits with 1 when nothing is found.
            """,
        schema: reading.adding(ConfigurationSchema([ArchiveOptions.rebuild])),
        arguments: [Command.Argument("ID", help: identifiers)],
        examples: [
            .init("sluicectl archive find 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55", "Where a notification is."),
            .init("sluicectl archive find 2000000000000001 --output json", "A purchase's records, for scripts."),
        ])

    private static let archiveShow = Command(
        "show", summary: "Decrypt and show a record of the archive.",
        discussion: """
            Personal data are left out unless --reveal is given. The record is compared with the digest in its leaf; \
            that the leaf is in the signed tree is shown by sluicectl archive prove. With --reveal who opened which record \
            is published in appstore.erasures first, and archived: it needs --author, and Kafka.
            """,
        schema: reading.adding(ConfigurationSchema([ArchiveOptions.reveal])).adding(ArchiveReveals.schema),
        arguments: [Command.Argument("WHAT", help: "\(identifiers); or TOPIC/PARTITION@OFFSET")],
        examples: [
            .init("sluicectl archive show appstore.notifications.production/3@17", "One record, redacted."),
            .init(
                "sluicectl archive show 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55 --reveal --author a.officer "
                    + "--request DSR-2026-17 --output json",
                "Everything that was archived under an identifier."),
        ])

    private static let decision = ConfigurationSchema(
        [
            ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, ArchivePlace.keyStore,
            ArchivePlace.keyEncryptionKeys, ArchivePlace.index, ArchiveOptions.app, ArchiveOptions.environment,
            ArchiveOptions.reason, ArchiveOptions.request, ArchiveAuthor.author, OperationsSettings.yes,
            OperationsSettings.output,
        ] + ArchiveOptions.selectors + ArchivePlace.storeSettings, openPrefixes: [ApplicationSettings.kafka])

    private static let archiveErase = Command(
        "erase", summary: "Permanently erase a person's records from the archive, by destroying their keys.",
        discussion: """
            Brings the index up to date with the archive first, and prints up to which leaf of each log the answer is \
            complete. Publishes a record of the erasures topic and destroys the keys in this host's key store; sluice-archive does \
            so on every other host. What was signed until now gets no key again, whoever replays it; a later \
            notification does. Leaves, tree and checkpoints stay what they are: sluicectl archive verify tells what is \
            erased from what is missing. Nothing is erased while a legal hold is on the purchase. Entitlements are \
            erased with sluicectl entitlements erase; what Kafka still has expires with its topics.
            """,
        schema: decision.adding(ConfigurationSchema([ArchiveOptions.backupDays, ErasureCoverage.signedUntil])),
        examples: [
            .init(
                "sluicectl archive erase --original-transaction-id 2000000000000001 --app com.example.app",
                "Print what would be erased."),
            .init(
                "sluicectl archive erase --app-account-token 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55 "
                    + "--request DSR-2026-17 --yes", "Erase all purchases of an account."),
        ])

    private static let archiveHold = Command(
        "hold", summary: "Keep a person's records whatever is asked for, until they are released.",
        discussion: """
            A legal hold: an erasure that is asked for meanwhile waits for its end. It freezes keys, not topics.
            """,
        schema: decision,
        examples: [
            .init(
                "sluicectl archive hold --original-transaction-id 2000000000000001 --app com.example.app "
                    + "--reason litigation --request CASE-8 --yes", "Hold one purchase.")
        ])

    private static let archiveRelease = Command(
        "release", summary: "End a legal hold; an erasure that waited for it is carried out.", schema: decision,
        examples: [
            .init(
                "sluicectl archive release --original-transaction-id 2000000000000001 --app com.example.app "
                    + "--request CASE-8 --yes", "Release one purchase.")
        ])

    private static let archiveKey = Command(
        "key", summary: "Make the archive's keys, and print the public ones.",
        examples: [.init("sluicectl archive key show", "The public keys, for whoever verifies the archive.")],
        subcommands: [
            Command(
                "signing", summary: "Make an Ed25519 key that signs checkpoints.",
                discussion: """
                    Writes PKCS#8 in PEM that only its owner can read, and prints the public key. A file that exists is \
                    never overwritten.
                    """,
                schema: ConfigurationSchema([ArchivePlace.origin, OperationsSettings.output]),
                arguments: [Command.Argument("FILE", help: "the new file")],
                examples: [
                    .init(
                        "sluicectl archive key signing archive-signing.pem --archive.origin example.com/appstore",
                        "A new key.")
                ]),
            Command(
                "encryption", summary: "Make a key that encrypts the key store.",
                discussion: """
                    Writes 32 random bytes as hexadecimal text that only its owner can read. Keep a copy of it apart \
                    from the key store and its backups: without it no archived record can be read. A file that exists is \
                    never overwritten.
                    """,
                schema: ConfigurationSchema([OperationsSettings.output]),
                arguments: [Command.Argument("FILE", help: "the new file")],
                examples: [.init("sluicectl archive key encryption archive-kek", "A new key.")]),
            Command(
                "show", summary: "Print the public keys of the archive, one a line.",
                discussion: """
                    Each line is a verifier key as c2sp.org/signed-note writes it. Without LOG they are named by the \
                    archive, for sluicectl archive verify; with it as the checkpoints of that log name them, for other \
                    programs that know the C2SP formats: the log's key, and the key of the cosignature with the time.
                    """,
                schema: ConfigurationSchema([
                    ArchivePlace.origin, ArchivePlace.signingKeys, OperationsSettings.output,
                ]),
                arguments: [Command.Argument("LOG", help: "TOPIC/PARTITION, or checkpoint-log", isOptional: true)],
                examples: [
                    .init("sluicectl archive key show > archive.pub", "For whoever verifies the archive."),
                    .init(
                        "sluicectl archive key show appstore.notifications.production/3",
                        "The key of one log, for another verifier."),
                    .init("sluicectl archive key show checkpoint-log", "For the log line of a tlog-policy."),
                ]),
            Command(
                "check",
                summary: "Check the key store: whether every key opens, and which key-encryption keys it needs.",
                discussion: """
                    A key-encryption key that wraps none is needed no more, once no host is left whose key store it \
                    wraps. Exits with 1 when the file is damaged, a key does not open or, with --against-archive, a key \
                    that a leaf names is missing. That is so for a backup that was made before the leaf, and for a host \
                    that joined after an erasure that does not name its keys.
                    """,
                schema: ConfigurationSchema(
                    [
                        ArchivePlace.keyStore, ArchivePlace.keyEncryptionKeys, ArchiveKeyStoreReport.againstArchive,
                        OperationsSettings.output,
                    ] + ArchivePlace.storeSettings),
                examples: [
                    .init("sluicectl archive key check", "After a change of the key."),
                    .init(
                        "sluicectl archive key check --archive.key.store restored.sqlite --against-archive",
                        "Whether a backup has every key that the archive needs."),
                ]),
            Command(
                "backup", summary: "Copy the key store as it is at one instant, while sluice-archive runs.",
                discussion: """
                    A plain copy of the file lacks the newest keys, which are in its write-ahead log. The copy is on \
                    disk on return, and only its owner can read it. Keep it on another volume than the archive, for 30 \
                    days at most: it has the keys of whoever is erased later.
                    """,
                schema: ConfigurationSchema([ArchivePlace.keyStore, ArchivePlace.keyEncryptionKeys]),
                arguments: [Command.Argument("FILE", help: "the new file")],
                examples: [.init("sluicectl archive key backup /backup/keys-2026-11-26.sqlite", "Once a day.")]),
        ], readsConfiguration: false)
}
