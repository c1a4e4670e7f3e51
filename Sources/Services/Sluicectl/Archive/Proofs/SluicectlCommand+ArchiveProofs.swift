internal import ArchiveKeys
internal import CommandLine
internal import Configuration
internal import OperatorEvents
internal import ServiceKit

/// The command lines of `sluicectl archive verify` and `prove`.
extension SluicectlCommand {
    static func archiveProofs(_ parts: SluicectlParts) -> [Command] { [archiveVerify(parts), archiveProve] }

    private static func archiveVerify(_ parts: SluicectlParts) -> Command {
        Command(
            "verify", summary: "Verify that nothing in the archive was changed, removed or replaced.",
            discussion: """
                Recomputes every leaf, tile and root, and compares them with every signed checkpoint, every payload \
                with its leaf, and the offsets with each other. Requires only the public key: no decryption keys, and \
                no Kafka. With --checkpoint-from, every log with leaves must be consistent with a checkpoint from \
                there that was signed with the key. Exit codes: 0 sound; 2 tampered, with the first invalid position; \
                3 incomplete: records that the archive never received are missing, a log has no checkpoint elsewhere \
                (unanchored) or, with --payloads, keys or certificates are missing; 4 rolled back or forked; 5 the \
                key is unknown or missing; 6 the archive cannot be read. With --retention, the archive is tampered \
                (2) if a payload was removed too early, without being announced a day in advance, or although it had \
                to be kept; it is incomplete (3) if no archived record states a payload's deletion. Without \
                --checkpoint-from, an earlier state of the whole archive, or of one log, passes as the current one, \
                and a removed log is not detected. With operations.events=true, each run publishes an operator event \
                for each log and kind of finding.
                """,
            schema: ConfigurationSchema(
                ArchivePlace.storeSettings + [
                    ArchiveProofOptions.keyStore, ArchiveProofOptions.keyEncryptionKeys,
                    ArchiveProofOptions.key, ArchiveProofOptions.unsigned, ArchiveProofOptions.from,
                    ArchiveProofOptions.witnesses, ArchiveProofOptions.quorum, ArchiveProofOptions.policy,
                    ArchiveProofOptions.checkpointFrom, ArchiveProofOptions.resumeFrom, ArchiveProofOptions.save,
                    ArchiveProofOptions.againstKafka, ArchiveProofOptions.payloads, ArchiveProofOptions.treeOnly,
                    ArchiveProofOptions.retention,
                    ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, OperationsSettings.output,
                    OperatorEventSettings.events,
                ] + ArchivePlace.anchorReading, openPrefixes: [ApplicationSettings.kafka]
            ).adding(parts.verification.schema),
            arguments: [
                Command.Argument(
                    "LOG", help: "a topic, or TOPIC/PARTITION; default: all logs", isOptional: true, isRepeated: true
                )
            ],
            examples: [
                .init(
                    "sluicectl archive verify --archive.url /mnt/archive --key archive.pub "
                        + "--checkpoint-from anchored-checkpoints",
                    "Verify a copy against checkpoints kept elsewhere."),
                .init(
                    "sluicectl archive verify --key archive.pub --checkpoint-from store --config sluice.properties",
                    "Verify against the checkpoints in archive.anchor.url."),
                .init(
                    "sluicectl archive verify --policy archive.policy --config sluice.properties",
                    "Require cosignatures by the witnesses of a policy, which also contains the archive's key."),
                .init(
                    "sluicectl archive verify --key archive.pub --resume-from verified --save verified",
                    "Verify only new leaves, every night."),
                .init(
                    "sluicectl archive verify --key archive.pub --retention 400d --config sluice.properties",
                    "Also check that no payload was deleted before 400 days, or without an announcement."),
                .init(
                    "sluicectl archive verify --key archive.pub --payloads",
                    "Also check that each notification is signed by Apple."),
            ]
        ) {
            try await ArchiveVerifyCommand(
                configuration: $0.configuration, source: parts.verification, clocks: $0.clocks, timeout: $0.timeout,
                publishing: parts.publishing
            ).run($0.arguments, $0.console)
        }
    }

    private static let archiveProve = Command(
        "prove", summary: "Prove that a record is in the archive, to a recipient who has only the public key.",
        discussion: """
            Writes a proof in the format of c2sp.org/tlog-proof: the leaf, its path to the root, and the signed \
            checkpoint. If witnesses cosign the checkpoint log, a second file, FILE.checkpoint, proves that this \
            checkpoint is in it. --check verifies these files offline. Exit codes: 0 valid; 2 invalid; 5 the key is a \
            different one, or too few of the witnesses in --witness have cosigned.
            """,
        schema: ConfigurationSchema(
            ArchivePlace.storeSettings + [
                ArchiveProofOptions.key, ArchiveProofOptions.witnesses, ArchiveProofOptions.quorum,
                ArchiveProofOptions.policy, ArchiveProofOptions.leaf, ArchiveProofOptions.outputFile,
                ArchiveProofOptions.check, OperationsSettings.output,
            ]),
        arguments: [
            Command.Argument("PLACE", help: "TOPIC/PARTITION@OFFSET, or TOPIC/PARTITION with --leaf", isOptional: true)
        ],
        examples: [
            .init(
                "sluicectl archive prove appstore.notifications.production/3@1742 "
                    + "--output-file notification.tlog-proof",
                "Write a proof for an auditor."),
            .init(
                "sluicectl archive prove --check notification.tlog-proof --key archive.pub", "The auditor's check."),
        ]
    ) {
        try await ArchiveProveCommand(configuration: $0.configuration, timeout: $0.timeout).run(
            $0.arguments.first, $0.console)
    }
}
