internal import CommandLine
internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl webhooks`.
extension SluicectlCommand {
    /// Returns the commands, or none in a build without webhooks.
    static func webhooks(_ parts: SluicectlParts) -> [Command] {
        guard let webhooks = parts.webhooks else { return [] }
        return [
            Command(
                "webhooks", summary: "Test the webhook receiver, list attempts, and resend messages.",
                examples: [
                    .init(
                        "sluicectl webhooks test --config sluice.properties",
                        "Check that the receiver accepts messages.")
                ],
                subcommands: [test(webhooks), attempts, resend(webhooks)], readsConfiguration: false)
        ]
    }

    private static func test(_ webhooks: SluicectlParts.Webhooks) -> Command {
        Command(
            "test", summary: "Post a signed message of type sluice.test to the receiver.",
            discussion: """
                Reads the same configuration as sluice-webhooks. The message does not concern a purchase. Exits with 0 \
                if it is accepted, otherwise with 1.
                """,
            schema: ConfigurationSchema([OperationsSettings.output, OperationsSettings.receiver]).adding(
                webhooks.schema),
            examples: [
                .init("sluicectl webhooks test --config sluice.properties", "Use the configured URL and key."),
                .init(
                    "sluicectl webhooks test --config sluice.properties --receiver crm",
                    "Test one of webhooks.receivers."),
                .init("sluicectl webhooks test --config sluice.properties --output json", "For scripts."),
            ]
        ) { try await WebhooksCommand($0).test(webhooks, $0.console) }
    }

    private static let attempts = Command(
        "attempts", summary: "List the latest attempts by a running sluice-webhooks.",
        discussion: """
            Each process keeps its last 1000 attempts until it stops. Each member of the group has a separate \
            webhooks.admin.url.
            """,
        schema: ConfigurationSchema([
            OperationsSettings.webhooksAdminURL, OperationsSettings.failedOnly, OperationsSettings.attemptLimit,
            OperationsSettings.output, OperationsSettings.receiver,
        ]),
        examples: [
            .init("sluicectl webhooks attempts --failed", "List failed attempts with the receiver's responses."),
            .init("sluicectl webhooks attempts --limit 1000 --output json", "For scripts."),
        ]
    ) { try await WebhooksCommand($0).attempts($0.console) }

    private static func resend(_ webhooks: SluicectlParts.Webhooks) -> Command {
        Command(
            "resend", summary: "Repost the message with a given webhook-id, or dead-lettered messages.",
            discussion: """
                Posts the same body under the same id, with a new timestamp and signature. Offsets and dead letters \
                remain unchanged, and filters are ignored. Kafka keeps only the latest state of each purchase, so \
                older messages may no longer exist. With --dead-lettered, posts all messages in a dead letter topic, \
                in order. Exits with 0 if all are accepted, otherwise with 1.
                """,
            schema: ConfigurationSchema(
                [
                    ApplicationSettings.bootstrapServers, OperationsSettings.output, OperationsSettings.deadLettered,
                    OperationsSettings.deadLetterTopic, OperationsSettings.deadLetteredFrom, OperationsSettings.rate,
                    OperationsSettings.receiver,
                ], openPrefixes: [ApplicationSettings.kafka]
            ).adding(webhooks.schema),
            arguments: [
                Command.Argument(
                    "ID",
                    help: "a webhook-id, as printed by sluicectl webhooks attempts, or found in a dead letter, the log "
                        + "or the receiver's data", isOptional: true)
            ],
            examples: [
                .init(
                    "sluicectl webhooks resend --config sluice.properties "
                        + "notification-production-7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55", "Resend this message."),
                .init(
                    """
                    sluicectl webhooks resend --config sluice.properties --dead-lettered --from 2026-11-01T00:00:00Z \
                    --topic appstore.entitlements.production.sluice-webhooks.dlq
                    """, "Resend messages that a receiver missed during an outage."),
            ]
        ) { try await WebhooksCommand($0).resend($0.arguments.first, webhooks, $0.console) }
    }
}
