internal import Configuration
internal import ServiceKit

/// The command lines of `sluicectl quarantine` and `sluicectl dlq`.
extension SluicectlCommand {
    private static let position = Command.Argument("POSITION", help: "partition and offset, as list prints them: 0-17")
    private static let optionalPosition = Command.Argument(
        "POSITION", help: "only this one; without it all, in the order of list", isOptional: true)

    private static let reading = ConfigurationSchema(
        [ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, OperationsSettings.output],
        openPrefixes: [ApplicationSettings.kafka])
    private static let listing = ConfigurationSchema([OperationsSettings.after, OperationsSettings.count])
    private static let bringingBack = ConfigurationSchema([
        OperationsSettings.after, OperationsSettings.rate, OperationsSettings.yes,
    ])
    private static let filter = ConfigurationSchema([
        OperationsSettings.quarantineReason, OperationsSettings.quarantineBundle,
    ])
    private static let ofDeadLetters = ConfigurationSchema([OperationsSettings.deadLetterTopic])

    // MARK: quarantine

    static func quarantine(_ parts: SluicectlParts) -> Command {
        Command(
            "quarantine", summary: "What Apple signed for our apps and was not understood: look, and bring it back.",
            examples: [.init("sluicectl quarantine list", "Everything in quarantine, with reasons.")],
            subcommands: [
                Command(
                    "list", summary: "List what is in quarantine.", schema: reading.adding(listing).adding(filter),
                    examples: [
                        .init("sluicectl quarantine list --reason profile_audience", "Of one reason."),
                        .init("sluicectl quarantine list --after 0-1742 --output json", "Newer ones, for scripts."),
                    ]),
                Command(
                    "show", summary: "Show one of them, and verify it again step by step.",
                    schema: reading.adding(parts.verification.schema).adding(
                        ConfigurationSchema([OperationsSettings.verifyAt, OperationsSettings.payload])),
                    arguments: [position],
                    examples: [
                        .init(
                            "sluicectl quarantine show 0-17 --config sluice.properties",
                            "Why it is there, and whether it would pass now."),
                        .init("sluicectl quarantine show 0-17 --output json", "With the body as it was received."),
                    ]),
                Command(
                    "release", summary: "Publish what passes every check now.",
                    discussion: """
                        Each is verified again, with this version and this configuration. What is accepted is written \
                        to its notification topic with the origin replay and its time of receipt; what is not stays \
                        and is listed with its reason. Consumers ignore what they have already, so repeating it is \
                        harmless. Certificates are judged at the present; --at-receipt judges them at the time of \
                        receipt, for what waited longer than Apple's certificates last. Revocation is not asked. \
                        Control-C ends it after the record in hand, and --after goes on from there. Exits with 1 when \
                        something was left.
                        """,
                    schema: reading.adding(parts.verification.schema).adding(filter).adding(bringingBack).adding(
                        ConfigurationSchema([OperationsSettings.atReceipt])),
                    arguments: [optionalPosition],
                    examples: [
                        .init("sluicectl quarantine release --config sluice.properties", "What would be released."),
                        .init(
                            "sluicectl quarantine release --reason profile_audience --yes --config sluice.properties",
                            "After an update that knows the new environment."),
                        .init(
                            "sluicectl quarantine release --after 0-1742 --rate 200 --yes --config sluice.properties",
                            "Go on where an earlier run ended."),
                    ]),
            ], readsConfiguration: false)
    }

    // MARK: dlq

    static let deadLetters = Command(
        "dlq", summary: "Records that a consumer group could not handle: look, send back, delete.",
        examples: [.init("sluicectl dlq list", "All dead letters of this installation.")],
        subcommands: [
            Command(
                "list", summary: "List dead letters.", schema: reading.adding(listing).adding(ofDeadLetters),
                examples: [
                    .init("sluicectl dlq list", "Of every group of this installation."),
                    .init(
                        "sluicectl dlq list --topic appstore.notifications.production.billing.dlq --output json",
                        "Of a consumer of your own."),
                ]),
            Command(
                "show", summary: "Show one of them: headers, key and value.", schema: reading.adding(ofDeadLetters),
                arguments: [position],
                examples: [
                    .init(
                        "sluicectl dlq show 3-17 --topic appstore.notifications.production.sluice-entitlements.dlq",
                        "Why it failed, and what it is.")
                ]),
            Command(
                "replay", summary: "Send dead letters back to the topic that they came from.",
                discussion: """
                    Key, value and headers are as they were, the origin is replay. Every group that reads the topic \
                    gets them, so handlers must bear duplicates, as they must anyway. Only records of the notification \
                    topics are sent: an old row of a state topic must not come after a newer one. The dead letters \
                    stay until discard or their retention. Control-C ends it after the record in hand, and --after \
                    goes on from there.
                    """,
                schema: reading.adding(ofDeadLetters).adding(bringingBack), arguments: [optionalPosition],
                examples: [
                    .init(
                        "sluicectl dlq replay --topic appstore.notifications.production.sluice-entitlements.dlq",
                        "What would be sent."),
                    .init(
                        "sluicectl dlq replay 3-17 --topic appstore.notifications.production.sluice-entitlements.dlq --yes",
                        "One of them."),
                ]),
            Command(
                "discard", summary: "Delete dead letters of a partition, up to one of them.",
                discussion: "Kafka deletes from the oldest on, so everything before it in its partition goes too.",
                schema: reading.adding(ofDeadLetters).adding(ConfigurationSchema([OperationsSettings.yes])),
                arguments: [position],
                examples: [
                    .init(
                        "sluicectl dlq discard 3-17 --topic appstore.notifications.production.sluice-entitlements.dlq --yes",
                        "Partition 3 up to offset 17.")
                ]),
        ], readsConfiguration: false)
}
