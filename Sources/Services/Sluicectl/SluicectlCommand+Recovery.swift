internal import CommandLine
internal import Configuration
internal import ServiceKit

/// The command lines of `sluicectl quarantine`, `sluicectl dlq` and `sluicectl replay`.
extension SluicectlCommand {
    private static let position = Command.Argument(
        "POSITION", help: "partition and offset as printed by list, such as 0-17")
    private static let optionalPosition = Command.Argument(
        "POSITION", help: "only this record; default: all, in list order", isOptional: true)

    private static let reading = ConfigurationSchema(
        [ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, OperationsSettings.output],
        openPrefixes: [ApplicationSettings.kafka])
    private static let listing = ConfigurationSchema([OperationsSettings.after, OperationsSettings.recordLimit])
    private static let bringingBack = ConfigurationSchema([
        OperationsSettings.after, OperationsSettings.rate, OperationsSettings.yes,
    ])
    private static let filter = ConfigurationSchema([
        OperationsSettings.quarantineReason, OperationsSettings.recordApp, TapSettings.type,
    ])
    private static let filterOfQuarantine = filter.adding(
        ConfigurationSchema([ReplaySettings.receivedFrom, ReplaySettings.receivedTo, ReplaySettings.environment]))
    private static let window = ConfigurationSchema([ReplaySettings.from, ReplaySettings.to])
    private static let ofDeadLetters = ConfigurationSchema([OperationsSettings.deadLetterTopic])

    // MARK: quarantine

    static func quarantine(_ parts: SluicectlParts) -> Command {
        Command(
            "quarantine", summary: "List, show and release quarantined notifications.",
            examples: [.init("sluicectl quarantine list", "List everything in quarantine with reasons.")],
            subcommands: [
                Command(
                    "list", summary: "List quarantined notifications.",
                    schema: reading.adding(listing).adding(filterOfQuarantine),
                    examples: [
                        .init("sluicectl quarantine list --reason-code profile_audience", "Filter by reason."),
                        .init("sluicectl quarantine list --after 0-1742 --output json", "List newer records."),
                    ]
                ) { try await QuarantineCommand($0, parts).list($0.console) },
                Command(
                    "show", summary: "Show a quarantined notification, and verify it again step by step.",
                    schema: reading.adding(parts.verification.schema).adding(
                        ConfigurationSchema([OperationsSettings.verifyAt, OperationsSettings.payload])),
                    arguments: [position],
                    examples: [
                        .init(
                            "sluicectl quarantine show 0-17 --config sluice.properties",
                            "Show its reason, and whether it now passes."),
                        .init("sluicectl quarantine show 0-17 --output json", "Include the body as received."),
                    ]
                ) { try await QuarantineCommand($0, parts).show($0.argument, $0.console) },
                Command(
                    "release", summary: "Publish quarantined notifications that now pass every check.",
                    discussion: """
                        Each notification is verified again, with this version and configuration. Accepted ones are \
                        written to their notification topic with the origin replay and their time of receipt; others \
                        remain, and are listed with their reason. Consumers ignore duplicates, so repeating a run is \
                        harmless. Certificates are verified as of now; --at-receipt verifies them as of the time of \
                        receipt, for notifications older than the validity period of Apple's certificates. Revocation \
                        is not checked. Without --yes, the list is followed by a plan: counts by type, app and reason, \
                        and the groups that receive the notifications. Control-C stops after the current record, and \
                        --after resumes from there. Exits with 1 if any notification was not released.
                        """,
                    schema: reading.adding(parts.verification.schema).adding(filterOfQuarantine).adding(bringingBack)
                        .adding(ConfigurationSchema([OperationsSettings.atReceipt])),
                    arguments: [optionalPosition],
                    examples: [
                        .init(
                            "sluicectl quarantine release --config sluice.properties", "List what would be released."),
                        .init(
                            "sluicectl quarantine release --reason-code profile_audience --yes "
                                + "--config sluice.properties",
                            "Release notifications after an update that supports the new environment."),
                        .init(
                            "sluicectl quarantine release --after 0-1742 --rate 200 --yes --config sluice.properties",
                            "Resume where an earlier run ended."),
                    ]
                ) {
                    try await QuarantineCommand($0, parts).release(
                        $0.arguments.first, Interruption($0.interruptions()), $0.console)
                },
            ], readsConfiguration: false)
    }

    // MARK: dlq

    static func deadLetters(_ parts: SluicectlParts) -> Command {
        Command(
            "dlq", summary: "List, show, replay and discard records that a consumer group could not handle.",
            examples: [.init("sluicectl dlq list", "List all dead letters of this installation.")],
            subcommands: [
                Command(
                    "list", summary: "List dead letters.",
                    schema: reading.adding(listing).adding(filter).adding(window).adding(ofDeadLetters).adding(
                        parts.access?.schema ?? ConfigurationSchema()),
                    examples: [
                        .init("sluicectl dlq list", "List the dead letters of every group in this installation."),
                        .init(
                            "sluicectl dlq list --topic appstore.notifications.production.billing.dlq --output json",
                            "List the dead letters of one of your own consumers."),
                        .init(
                            "sluicectl dlq list --type REFUND --from 2026-11-26T00:00:00Z", "Refunds since midnight."),
                    ]
                ) { try await DeadLettersCommand($0, parts.access).list($0.console) },
                Command(
                    "show", summary: "Show a dead letter: headers, key and value.",
                    schema: reading.adding(ofDeadLetters),
                    arguments: [position],
                    examples: [
                        .init(
                            "sluicectl dlq show 3-17 --topic appstore.notifications.production.sluice-entitlements.dlq",
                            "Show its reason and content.")
                    ]
                ) { try await DeadLettersCommand($0).show($0.argument, $0.console) },
                Command(
                    "replay", summary: "Send dead letters back to their original topic.",
                    discussion: """
                        Key, value and headers are unchanged; the origin is replay, and sluice.replay.reason names the \
                        group and the reason for the failure. Every group that reads the topic receives the records, so \
                        handlers must tolerate duplicates, as always. Only records from notification topics are sent: an \
                        old row from a state topic must not follow a newer one. A record that was replayed and came back \
                        for the same reason is not sent again without --again. Without --yes, the list is followed by a \
                        plan: counts by type, app and reason, and the groups that receive the records. The dead letters \
                        remain until they are discarded or their retention expires. Control-C stops after the current \
                        record, and --after resumes from there.
                        """,
                    schema: reading.adding(ofDeadLetters).adding(filter).adding(window).adding(bringingBack)
                        .adding(ConfigurationSchema([ReplaySettings.again])), arguments: [optionalPosition],
                    examples: [
                        .init(
                            "sluicectl dlq replay --topic appstore.notifications.production.sluice-entitlements.dlq",
                            "List what would be sent."),
                        .init(
                            "sluicectl dlq replay 3-17 --topic appstore.notifications.production.sluice-entitlements.dlq --yes",
                            "Send one record."),
                        .init(
                            "sluicectl dlq replay --topic appstore.notifications.production.sluice-entitlements.dlq "
                                + "--reason-code field_type --app com.example.app --yes",
                            "Send an app's dead letters with this reason code, after the cause has been fixed."),
                    ]
                ) {
                    try await DeadLettersCommand($0).replay(
                        $0.arguments.first, Interruption($0.interruptions()), $0.console)
                },
                Command(
                    "discard", summary: "Delete the dead letters in a partition up to and including a given position.",
                    discussion:
                        "Kafka deletes the oldest records first, so all earlier records in the partition are deleted too.",
                    schema: reading.adding(ofDeadLetters).adding(ConfigurationSchema([OperationsSettings.yes])),
                    arguments: [position],
                    examples: [
                        .init(
                            "sluicectl dlq discard 3-17 --topic appstore.notifications.production.sluice-entitlements.dlq --yes",
                            "Delete the dead letters in partition 3 up to and including offset 17.")
                    ]
                ) { try await DeadLettersCommand($0).discard($0.argument, $0.console) },
            ], readsConfiguration: false)
    }

    // MARK: replay

    static let replay = Command(
        "replay", summary: "Send records from a notification topic again.",
        discussion: """
            For consumers that handled records incorrectly, once the consumers are fixed. Key, value and headers are \
            unchanged; the origin is replay. Every group that reads the topic receives the records, so handlers must \
            tolerate duplicates, as always; to resend records to one group only, reset its offsets with \
            kafka-consumer-groups.sh. Copies from an earlier replay are not sent again without --again. Without --yes, \
            the list of records is followed by a plan: counts by type and app, the groups that receive the records, \
            and the duration. Control-C stops after the current record, and --after resumes from there. Exits with 1 \
            if any record was not replayed.
            """,
        schema: kafkaSchema.adding(window).adding(bringingBack).adding(
            ConfigurationSchema([
                OperationsSettings.environment, TapSettings.type, OperationsSettings.recordApp,
                ReplaySettings.againCopies,
            ])),
        arguments: [optionalPosition],
        examples: [
            .init(
                "sluicectl replay --type REFUND --from 2026-11-25T00:00:00Z --to 2026-11-26T00:00:00Z",
                "List a day's refunds and the groups that would receive them."),
            .init(
                "sluicectl replay --type REFUND --from 2026-11-25T00:00:00Z --to 2026-11-26T00:00:00Z --yes",
                "Send a day's refunds again."),
            .init(
                "sluicectl replay --app com.example.app --environment sandbox --rate 200 --after 3-1742 --yes",
                "Resume where an earlier run ended."),
        ]
    ) {
        try await ReplayCommand(
            configuration: $0.configuration, interruption: Interruption($0.interruptions()), timeout: $0.timeout
        ).run($0.arguments.first, $0.console)
    }
}
