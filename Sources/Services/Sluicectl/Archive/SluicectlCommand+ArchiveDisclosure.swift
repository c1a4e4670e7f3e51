internal import ArchiveKeys
internal import CommandLine
internal import Configuration

/// The command lines of `sluicectl archive disclose` and `check-disclosure`.
extension SluicectlCommand {
    static func archiveDisclosure(_ parts: SluicectlParts) -> [Command] {
        [
            Command(
                "disclose",
                summary: "Write one record with its proof and key, for a recipient who has the public key.",
                discussion: """
                    The file contains one record: the leaf, its path to the root, the signed checkpoint, the \
                    encrypted object, and the object's key, which decrypts no other record of the person. The file is \
                    verified before it is written. Anyone with the file can read the record, even after the person's \
                    data is erased. Records archived by releases before 2026-12 have no separate key and are refused. \
                    The disclosure and its author are first published in appstore.erasures and archived.
                    """,
                schema: ConfigurationSchema(
                    ArchivePlace.storeSettings + [
                        ArchivePlace.keyStore, ArchivePlace.keyEncryptionKeys, ArchiveProofOptions.key,
                        ArchiveProofOptions.outputFile, OperationsSettings.topicsPrefix, OperationsSettings.output,
                    ]
                ).adding(ArchiveReveals.schema),
                arguments: [Command.Argument("POSITION", help: "TOPIC/PARTITION@OFFSET")],
                examples: [
                    .init(
                        "sluicectl archive disclose appstore.notifications.production/3@1742 --key archive.pub "
                            + "--output-file notification.disclosure --author a.officer --request CASE-8 "
                            + "--config sluice.properties",
                        "Disclose a record to a court or an auditor.")
                ]
            ) {
                try await ArchiveDiscloseCommand(configuration: $0.configuration, timeout: $0.timeout).disclose(
                    $0.argument, ArchiveReveals($0, parts), $0.console)
            },
            Command(
                "check-disclosure", summary: "Check a disclosure file offline, and show its record.",
                discussion: """
                    Requires only the file and the public key. Exit codes: 0 valid; 2 invalid; 5 a different key; 6 \
                    the file cannot be read.
                    """,
                schema: ConfigurationSchema([
                    ArchiveProofOptions.key, OperationsSettings.topicsPrefix, OperationsSettings.output,
                ]),
                arguments: [Command.Argument("FILE", help: "the file, or - for standard input")],
                examples: [
                    .init(
                        "sluicectl archive check-disclosure notification.disclosure --key archive.pub",
                        "Check a disclosure, as the recipient does.")
                ]
            ) {
                try await ArchiveDiscloseCommand(configuration: $0.configuration, timeout: $0.timeout).check(
                    $0.argument, $0.console)
            },
        ]
    }
}
