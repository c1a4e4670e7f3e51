internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import ServiceKit

/// The command lines of `sluicectl archive` for keys and persons.
extension SluicectlCommand {
    static func archivePersons(_ parts: SluicectlParts) -> [Command] {
        [archiveFind, archiveShow(parts), archiveErase, archiveHold, archiveRelease, archiveKey]
    }

    private static let reading = ConfigurationSchema(
        [
            OperationsSettings.topicsPrefix, ArchivePlace.keyStore, ArchivePlace.keyEncryptionKeys, ArchivePlace.index,
            ArchiveOptions.limit, OperationsSettings.output,
        ] + ArchivePlace.storeSettings)
    private static let identifiers =
        "an identifier of a notification, a purchase, a transaction, an account, a request or an external purchase"

    private static let archiveFind = Command(
        "find", summary: "Find archived records by an identifier.",
        discussion: """
            Updates an index (archive.index) from the archive, then searches it. The index stores identifiers only as \
            HMACs. The first update reads the whole archive. Exits with 1 if nothing is found, or if records may be \
            missing because this host lacks their keys.
            """,
        schema: reading.adding(ConfigurationSchema([ArchiveOptions.rebuild])),
        arguments: [Command.Argument("ID", help: identifiers)],
        examples: [
            .init("sluicectl archive find 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55", "A notification's records."),
            .init("sluicectl archive find 2000000000000001 --output json", "A purchase's records, as JSON."),
        ]
    ) { try await ArchiveFindCommand(configuration: $0.configuration).find($0.argument, $0.console) }

    private static func archiveShow(_ parts: SluicectlParts) -> Command {
        Command(
            "show", summary: "Decrypt and show an archived record.",
            discussion: """
                Personal data is omitted unless --reveal is set. The record is compared with the digest in its leaf; \
                sluicectl archive prove shows that the leaf is in the signed tree. With --reveal, the access and its \
                author are first published in appstore.erasures and archived: this requires --author and Kafka. Exits \
                with 1 if nothing is found, or if records with the identifier may be missing because this host lacks \
                their keys, and with 2 if a payload is missing.
                """,
            schema: reading.adding(ConfigurationSchema([ArchiveOptions.reveal])).adding(ArchiveReveals.schema),
            arguments: [Command.Argument("WHAT", help: "\(identifiers); or TOPIC/PARTITION@OFFSET")],
            examples: [
                .init("sluicectl archive show appstore.notifications.production/3@17", "One record, redacted."),
                .init(
                    "sluicectl archive show 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55 --reveal --author a.officer "
                        + "--request DSR-2026-17 --output json",
                    "Everything archived under an identifier."),
            ]
        ) {
            try await ArchiveFindCommand(configuration: $0.configuration).show(
                $0.argument, ArchiveReveals($0, parts), $0.console)
        }
    }

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
            First updates the index from the archive, and prints the last indexed leaf of each log. Publishes a record \
            to the erasures topic and destroys the keys in this host's key store; sluice-archive destroys them on \
            every other host. Records signed up to now never receive a key again, even if they are replayed; later \
            notifications do. Leaves, tree and checkpoints remain unchanged: sluicectl archive verify distinguishes \
            erased payloads from missing ones. Nothing is erased while a legal hold applies to the purchase. \
            Entitlements are erased with sluicectl entitlements erase; records in Kafka expire with their topics.
            """,
        schema: decision.adding(ConfigurationSchema([ArchiveOptions.backupDays, ErasureCoverage.signedUntil])),
        examples: [
            .init(
                "sluicectl archive erase --original-transaction-id 2000000000000001 --app com.example.app",
                "Print what would be erased."),
            .init(
                "sluicectl archive erase --app-account-token 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55 "
                    + "--request DSR-2026-17 --yes", "Erase all purchases of an account."),
        ]
    ) { try await ArchiveDecisionCommand(.erase, $0).run($0.console) }

    private static let archiveHold = Command(
        "hold", summary: "Keep a person's records despite any erasure request, until they are released.",
        discussion: """
            A legal hold: erasures requested in the meantime wait for its end. It applies to keys, not to topics.
            """,
        schema: decision,
        examples: [
            .init(
                "sluicectl archive hold --original-transaction-id 2000000000000001 --app com.example.app "
                    + "--reason litigation --request CASE-8 --yes", "Hold one purchase.")
        ]
    ) { try await ArchiveDecisionCommand(.hold, $0).run($0.console) }

    private static let archiveRelease = Command(
        "release", summary: "End a legal hold and carry out any pending erasure.", schema: decision,
        examples: [
            .init(
                "sluicectl archive release --original-transaction-id 2000000000000001 --app com.example.app "
                    + "--request CASE-8 --yes", "Release one purchase.")
        ]
    ) { try await ArchiveDecisionCommand(.release, $0).run($0.console) }

    private static let archiveKey = Command(
        "key", summary: "Create the archive's keys, and print the public ones.",
        examples: [.init("sluicectl archive key show", "Print the public keys.")],
        subcommands: [
            Command(
                "signing", summary: "Create an Ed25519 key that signs checkpoints.",
                discussion: """
                    Writes the key as PKCS#8 PEM, readable only by its owner, and prints the public key. An existing \
                    file is never overwritten.
                    """,
                schema: ConfigurationSchema([ArchivePlace.origin, OperationsSettings.output]),
                arguments: [Command.Argument("FILE", help: "the new file")],
                examples: [
                    .init(
                        "sluicectl archive key signing archive-signing.pem --archive.origin example.com/appstore",
                        "A new key.")
                ]
            ) { try await ArchiveKeyCommand(configuration: $0.configuration).signing($0.argument, $0.console) },
            Command(
                "encryption", summary: "Create a key that encrypts the key store.",
                discussion: """
                    Writes 32 random bytes as hexadecimal text, readable only by its owner. Keep a copy apart from \
                    the key store and its backups: without this key, no archived record can be read. An existing file \
                    is never overwritten.
                    """,
                schema: ConfigurationSchema([OperationsSettings.output]),
                arguments: [Command.Argument("FILE", help: "the new file")],
                examples: [.init("sluicectl archive key encryption archive-kek", "A new key.")]
            ) { try await ArchiveKeyCommand(configuration: $0.configuration).encryption($0.argument, $0.console) },
            Command(
                "show", summary: "Print the archive's public keys, one per line.",
                discussion: """
                    Each line is a verifier key in the format of c2sp.org/signed-note. Without LOG, the keys have the \
                    archive's name, for sluicectl archive verify. With LOG, they have the name in that log's \
                    checkpoints, for other programs that support the C2SP formats: the log's key, and the key for its \
                    timestamped cosignatures.
                    """,
                schema: ConfigurationSchema([
                    ArchivePlace.origin, ArchivePlace.signingKeys, OperationsSettings.output,
                ]),
                arguments: [Command.Argument("LOG", help: "TOPIC/PARTITION, or checkpoint-log", isOptional: true)],
                examples: [
                    .init(
                        "sluicectl archive key show > archive.pub",
                        "Save the public keys for anyone who verifies the archive."),
                    .init(
                        "sluicectl archive key show appstore.notifications.production/3",
                        "Print the key of one log, for use with other verifiers."),
                    .init(
                        "sluicectl archive key show checkpoint-log", "Print the key for the log line of a tlog-policy."),
                ]
            ) { try await ArchiveKeyCommand(configuration: $0.configuration).show($0.argument, $0.console) },
            Command(
                "check",
                summary:
                    "Check that every key in the key store can be unwrapped, and list the key-encryption keys needed.",
                discussion: """
                    A key-encryption key is no longer needed once it wraps no key in any host's key store. Exits \
                    with 1 if the file is damaged, a key cannot be unwrapped or, with --against-archive, a key \
                    referenced by a leaf is missing. Keys are missing from a backup made before the leaf was written, \
                    and on a host that joined after an erasure that does not list its keys.
                    """,
                schema: ConfigurationSchema(
                    [
                        ArchivePlace.keyStore, ArchivePlace.keyEncryptionKeys, ArchiveKeyStoreReport.againstArchive,
                        OperationsSettings.output,
                    ] + ArchivePlace.storeSettings),
                examples: [
                    .init("sluicectl archive key check", "Check after changing the key-encryption key."),
                    .init(
                        "sluicectl archive key check --archive.key.store restored.sqlite --against-archive",
                        "Check that a backup contains every key that the archive needs."),
                ]
            ) { try await ArchiveKeyStoreReport(configuration: $0.configuration).run($0.console) },
            Command(
                "backup", summary: "Take a consistent copy of the key store while sluice-archive is running.",
                discussion: """
                    A plain copy of the file does not contain the newest keys, which are in its write-ahead log. When \
                    the command returns, the copy is on disk and readable only by its owner. Keep it on a different \
                    volume from the archive, and for at most 30 days, because it contains keys that may be destroyed \
                    later.
                    """,
                schema: ConfigurationSchema([ArchivePlace.keyStore, ArchivePlace.keyEncryptionKeys]),
                arguments: [Command.Argument("FILE", help: "the new file")],
                examples: [
                    .init("sluicectl archive key backup /backup/keys-2026-11-26.sqlite", "Create a daily backup.")
                ]
            ) { try await ArchiveKeyStoreReport(configuration: $0.configuration).backUp($0.argument, $0.console) },
        ], readsConfiguration: false)
}
