internal import ArchiveKeys
internal import CommandLine
internal import Configuration
internal import ServiceKit

/// The command lines of `sluicectl archive status`, `export` and `replay`.
extension SluicectlCommand {
    private static let kafkaOfArchive = ConfigurationSchema(
        [ApplicationSettings.bootstrapServers], openPrefixes: [ApplicationSettings.kafka])
    private static let keysOfArchive = ConfigurationSchema([ArchivePlace.keyEncryptionKeys, ArchivePlace.keyStore])
    private static let filterOfArchive = ConfigurationSchema([
        ArchiveReadingOptions.from, ArchiveReadingOptions.to, ArchiveReadingOptions.app, ArchiveReadingOptions.type,
    ])

    static func archiveReading(_ parts: SluicectlParts) -> [Command] {
        [
            Command(
                "status", summary: "Print the size, the checkpoint, the next offset and the anchors of each log.",
                discussion: """
                    Reads the archive without its keys. ANCHORED shows the number of leaves in each anchor's \
                    checkpoint. The anchors are the witnesses that have cosigned a checkpoint; with --against-kafka, \
                    kafka (appstore.archive.checkpoints); and with --against-anchor, store (archive.anchor.url). With \
                    --against-kafka, LAG is the number of records in Kafka that are not archived yet. Anchors appear \
                    in the row of checkpoint-log, the log whose leaves are the checkpoints of all other logs. \
                    Cosignatures of witnesses not listed in --witness are shown as not verified, and so are the \
                    checkpoints of kafka and store unless --key or --policy specifies the key that signed them. The \
                    signatures of the archive's own checkpoints are not checked: archive verify checks them, and \
                    follows the checkpoint log into each log. Exits with 4 if an anchor has a verified checkpoint \
                    with more leaves than the archive, and with 5 if the checkpoint could not be verified because no \
                    key was specified.
                    """,
                schema: ConfigurationSchema(
                    ArchivePlace.storeSettings + [
                        ArchiveReadingOptions.topic, ArchiveReadingOptions.againstKafka,
                        ArchiveReadingOptions.againstAnchor, ArchiveReadingOptions.bytes,
                        ArchiveProofOptions.key, ArchiveProofOptions.witnesses, ArchiveProofOptions.quorum,
                        ArchiveProofOptions.policy, OperationsSettings.topicsPrefix, OperationsSettings.output,
                    ] + ArchivePlace.anchorReading
                ).adding(kafkaOfArchive),
                examples: [
                    .init("sluicectl archive status --config sluice.properties", "Print a table of all logs."),
                    .init(
                        "sluicectl archive status --archive.url /mnt/copy/archive --output json",
                        "Read a copy, and print one JSON object per log."),
                    .init(
                        "sluicectl archive status --against-kafka --key archive.pub --config sluice.properties",
                        "Include the lag, and compare with the checkpoints in Kafka."),
                ]
            ) {
                try await ArchiveStatusCommand(configuration: $0.configuration, clocks: $0.clocks, timeout: $0.timeout)
                    .run($0.console)
            },
            Command(
                "export",
                summary: "Write the archived notifications as they were received, or everything about a person.",
                discussion: """
                    Writes JSON lines with the position, the archiving time, the type, and signedPayload, which is the \
                    compact JWS that Apple posted, rebuilt with the archived certificates. For version 1, legacy \
                    replaces signedPayload and contains the body without its secret. CSV has the same columns without \
                    the bodies. log, treeSize, leaf and objectDigest link a row to a proof written by archive prove. \
                    With --all-topics, other records are included in the record member. With an identifier (see \
                    archive erase), everything archived about its subjects is written, from every topic and decrypted, \
                    for an access request; --environment then defaults to production, and the other filters have no \
                    effect. The export and its author are first published in appstore.erasures and archived: this \
                    requires --author and Kafka. Erased and expired records are listed as such, unless --app or --type \
                    selects by content. Requires the key store. Each object is compared with its leaf; archive verify \
                    checks that the leaves are the signed ones. Exits with 1 if a key is unknown or a body could not \
                    be rebuilt, and with 2 if an object is missing or differs from the archived one.
                    """,
                schema: ConfigurationSchema(
                    ArchivePlace.storeSettings + [
                        ArchiveReadingOptions.environment, ArchiveReadingOptions.format,
                        ArchiveReadingOptions.allTopics,
                        ArchiveReadingOptions.outputDirectory, ArchivePlace.index, OperationsSettings.topicsPrefix,
                    ] + ArchiveOptions.selectors
                ).adding(keysOfArchive).adding(filterOfArchive).adding(ArchiveReveals.schema),
                examples: [
                    .init(
                        "sluicectl archive export --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z "
                            + "--author a.auditor --config sluice.properties > november.jsonl",
                        "Export a month with the signed bodies."),
                    .init(
                        "sluicectl archive export --app com.example.app --type REFUND --format csv "
                            + "--author a.auditor --config sluice.properties > refunds.csv",
                        "Export one app's refunds for an auditor."),
                    .init(
                        "sluicectl archive export --all-topics --output-directory export-2026-11 --author a.auditor "
                            + "--config sluice.properties",
                        "Export everything with a manifest."),
                    .init(
                        "sluicectl archive export --app-account-token 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55 "
                            + "--output-directory request-17 --author a.officer --request DSR-2026-17 "
                            + "--config sluice.properties",
                        "Answer an access request."),
                    .init(
                        "sluicectl archive export --environment production --author a.auditor --config sluice.properties "
                            + "| jq -r .signedPayload | head -1 | sluicectl verify -",
                        "Verify an exported notification."),
                ]
            ) {
                try await ArchiveExportCommand(
                    configuration: $0.configuration, interruption: Interruption($0.interruptions()), clocks: $0.clocks,
                    reveals: ArchiveReveals($0, parts)
                ).run($0.console)
            },
            Command(
                "retention", summary: "Print the expired payloads that sluice-archive deletes next.",
                discussion: """
                    For each log, prints the first leaf with a kept payload; the number of segments of 256 leaves \
                    that the next run of sluice-archive deletes, that it keeps because of a legal hold or an unknown \
                    key, and that it announces; and the time of the announcement. Announced segments are deleted a \
                    day later. Set archive.retention to the service's value.
                    """,
                schema: ConfigurationSchema(
                    ArchivePlace.storeSettings + [
                        ArchivePlace.retention, ArchiveReadingOptions.dryRun, OperationsSettings.topicsPrefix,
                        OperationsSettings.output,
                    ]
                ).adding(keysOfArchive),
                examples: [
                    .init(
                        "sluicectl archive retention --dry-run --config sluice.properties",
                        "Print what the next run deletes and announces, for example before changing archive.retention.")
                ]
            ) { try await ArchiveRetentionCommand(configuration: $0.configuration, clocks: $0.clocks).run($0.console) },
            Command(
                "replay", summary: "Write archived records back to Kafka.",
                discussion: """
                    Key, value and headers are unchanged, and the origin is replay. The timestamp is the current time, \
                    so that the topic's retention starts again. Consumers ignore duplicates. For topics other than \
                    notifications, quarantine and certificates, --to-topic is required, even for the same topic. \
                    Erased records are not restored. A record that an earlier replay or a release from quarantine \
                    wrote is skipped unless --again is given. Without --yes, the list is followed by a plan: counts by \
                    type and app, and the groups that receive the records. Control-C stops after the current \
                    record, and --after resumes from there. With --yes, the author is first published in \
                    appstore.erasures and archived: this requires --author. Exits with 1 if any record was not replayed.
                    """,
                schema: ConfigurationSchema(
                    ArchivePlace.storeSettings + [
                        ArchiveReadingOptions.replayedTopic, ArchiveReadingOptions.toTopic,
                        OperationsSettings.topicsPrefix, OperationsSettings.after, OperationsSettings.rate,
                        OperationsSettings.yes, OperationsSettings.output,
                    ]
                ).adding(keysOfArchive).adding(filterOfArchive).adding(
                    ConfigurationSchema([
                        TapSettings.type, OperationsSettings.recordApp, ReplaySettings.environment,
                        ReplaySettings.againCopies,
                    ])
                ).adding(ArchiveReveals.schema),
                examples: [
                    .init(
                        "sluicectl archive replay --topic appstore.notifications.production --config sluice.properties",
                        "Print what would be written."),
                    .init(
                        "sluicectl archive replay --topic appstore.notifications.production --again --rate 2000 --yes "
                            + "--author an.operator --config sluice.properties",
                        "Restore a lost topic at 2000 records per second."),
                    .init(
                        "sluicectl archive replay --topic appstore.notifications.production --to-topic scratch "
                            + "--from 2026-11-20T00:00:00Z --yes --author an.operator --config sluice.properties",
                        "Write the records since a given time to your own topic."),
                    .init(
                        "sluicectl archive replay --topic appstore.notifications.production --after 3-1742 --yes "
                            + "--author an.operator --config sluice.properties", "Resume where an earlier run ended."),
                ]
            ) {
                try await ArchiveReplayCommand(
                    configuration: $0.configuration, interruption: Interruption($0.interruptions()),
                    timeout: $0.timeout, reveals: ArchiveReveals($0, parts)
                ).run($0.console)
            },
        ]
    }
}
