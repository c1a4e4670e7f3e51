internal import ArchiveKeys
internal import Configuration
internal import ServiceKit

/// The command lines of `sluicectl archive verify` and `prove`.
extension SluicectlCommand {
    static func archiveProofs(_ parts: SluicectlParts) -> [Command] { [archiveVerify(parts), archiveProve] }

    private static func archiveVerify(_ parts: SluicectlParts) -> Command {
        Command(
            "verify", summary: "Verify the archive from its files: nothing was changed, removed or exchanged.",
            discussion: """
                Recomputes every leaf, tile and root, and compares them with every checkpoint that was signed, every \
                payload with its leaf, and the offsets with one another. It needs the public key alone: no key of the \
                records, and no Kafka. With --checkpoint-from every log with leaves must continue a checkpoint from \
                there that the key signed. Exit codes: 0 sound; 2 tampered, with the first bad place; 3 incomplete: \
                records are missing that the archive never had, a log has no checkpoint elsewhere (unanchored) or, with \
                --payloads, keys or certificates are missing; 4 rolled back or forked; 5 the key is unknown, or not \
                given; 6 the archive cannot be read. With --retention a payload that is gone too early, without an \
                announcement a day before, or although the retention kept it is tampered (2), and one that no archived \
                record says was deleted incomplete (3). Without --checkpoint-from an earlier state of the \
                whole archive, or of one log, passes for the present one, and a log that was removed is not missed.
                """,
            schema: ConfigurationSchema(
                ArchivePlace.storeSettings + [
                    ArchiveProofOptions.keyStore, ArchiveProofOptions.keyEncryptionKeys,
                    ArchiveProofOptions.key, ArchiveProofOptions.unsigned, ArchiveProofOptions.since,
                    ArchiveProofOptions.witnesses, ArchiveProofOptions.quorum, ArchiveProofOptions.policy,
                    ArchiveProofOptions.checkpointFrom, ArchiveProofOptions.from, ArchiveProofOptions.save,
                    ArchiveProofOptions.againstKafka, ArchiveProofOptions.payloads, ArchiveProofOptions.treeOnly,
                    ArchiveProofOptions.retention,
                    ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, OperationsSettings.output,
                ] + ArchivePlace.anchorReading, openPrefixes: [ApplicationSettings.kafka]
            ).adding(parts.verification.schema),
            arguments: [
                Command.Argument(
                    "LOG", help: "a topic, or TOPIC/PARTITION; without one all logs", isOptional: true, isRepeated: true
                )
            ],
            examples: [
                .init(
                    "sluicectl archive verify --archive.url /mnt/archive --key archive.pub "
                        + "--checkpoint-from anchored-checkpoints",
                    "A copy, against checkpoints that were kept elsewhere."),
                .init(
                    "sluicectl archive verify --key archive.pub --checkpoint-from store --config sluice.properties",
                    "Against the second store."),
                .init(
                    "sluicectl archive verify --policy archive.policy --config sluice.properties",
                    "Cosigned by the witnesses of a policy, which has the archive's key too."),
                .init(
                    "sluicectl archive verify --key archive.pub --from verified --save verified",
                    "Every night only what is new."),
                .init(
                    "sluicectl archive verify --key archive.pub --retention 400d --config sluice.properties",
                    "Also that payloads were deleted as the policy says."),
                .init(
                    "sluicectl archive verify --key archive.pub --payloads",
                    "Also that each notification is signed by Apple."),
            ])
    }

    private static let archiveProve = Command(
        "prove", summary: "Prove that a record is in the archive, to somebody who has only the public key.",
        discussion: """
            Writes a proof as c2sp.org/tlog-proof defines it: the leaf, its path to the root, and the signed checkpoint. \
            Where witnesses cosign the log of checkpoints, a second file, FILE.checkpoint, proves that this checkpoint is \
            in it. --check reads such files, offline: exit code 0 when they hold, 2 when they do not, 5 when the key is \
            another one, or too few of the witnesses that --witness names have cosigned.
            """,
        schema: ConfigurationSchema(
            ArchivePlace.storeSettings + [
                ArchiveProofOptions.key, ArchiveProofOptions.witnesses, ArchiveProofOptions.quorum,
                ArchiveProofOptions.policy, ArchiveProofOptions.leaf, ArchiveProofOptions.proofFile,
                ArchiveProofOptions.check, OperationsSettings.output,
            ]),
        arguments: [
            Command.Argument("PLACE", help: "TOPIC/PARTITION@OFFSET, or TOPIC/PARTITION with --leaf", isOptional: true)
        ],
        examples: [
            .init(
                "sluicectl archive prove appstore.notifications.production/3@1742 --to notification.tlog-proof",
                "A proof for an auditor."),
            .init(
                "sluicectl archive prove --check notification.tlog-proof --key archive.pub", "What the auditor does."),
        ])
}
