internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl webhooks`.
extension SluicectlCommand {
    /// Returns no command when webhooks are not wired.
    static func webhooks(_ parts: SluicectlParts) -> [Command] {
        guard let webhooks = parts.webhooks else { return [] }
        return [
            Command(
                "webhooks", summary: "Test the receiver of webhooks, look at attempts, send one again.",
                examples: [.init("sluicectl webhooks test --config sluice.properties", "Does the receiver answer?")],
                subcommands: [test(webhooks), attempts, resend(webhooks)], readsConfiguration: false)
        ]
    }

    private static func test(_ webhooks: SluicectlParts.Webhooks) -> Command {
        Command(
            "test", summary: "Post a signed message of type sluice.test to the receiver.",
            discussion: """
                Reads the configuration as sluice-webhooks does. The message is about no purchase. Exits with 0 when it \
                is accepted and 1 when it is not.
                """,
            schema: ConfigurationSchema([OperationsSettings.output, OperationsSettings.receiver]).adding(
                webhooks.schema),
            examples: [
                .init("sluicectl webhooks test --config sluice.properties", "With the configured address and key."),
                .init(
                    "sluicectl webhooks test --config sluice.properties --receiver crm", "One of webhooks.receivers."),
                .init("sluicectl webhooks test --config sluice.properties --output json", "For scripts."),
            ])
    }

    private static let attempts = Command(
        "attempts", summary: "List the latest attempts of a running sluice-webhooks.",
        discussion: """
            Each process keeps its last 1000 attempts until it stops. Another member of the group is another \
            webhooks.admin.url.
            """,
        schema: ConfigurationSchema([
            OperationsSettings.webhooksAdminURL, OperationsSettings.failedOnly, OperationsSettings.attemptCount,
            OperationsSettings.output, OperationsSettings.receiver,
        ]),
        examples: [
            .init("sluicectl webhooks attempts --failed", "What the receiver did not accept, and what it answered."),
            .init("sluicectl webhooks attempts --count 1000 --output json", "For scripts."),
        ])

    private static func resend(_ webhooks: SluicectlParts.Webhooks) -> Command {
        Command(
            "resend", summary: "Post the message of a webhook-id, or what was dead-lettered, once more.",
            discussion: """
                The same body under the same id, with a new timestamp and signature; no offset is changed, letters stay, \
                and filters do not count. Of a state Kafka keeps the last one of each purchase: an older one may be gone. \
                With --failed everything in a dead letter topic is posted, in its order. Exits with 0 when everything is \
                accepted and 1 when something is not.
                """,
            schema: ConfigurationSchema(
                [
                    ApplicationSettings.bootstrapServers, OperationsSettings.output, OperationsSettings.deadLettered,
                    OperationsSettings.deadLetterTopic, OperationsSettings.deadLetteredSince, OperationsSettings.rate,
                    OperationsSettings.receiver,
                ], openPrefixes: [ApplicationSettings.kafka]
            ).adding(webhooks.schema),
            arguments: [
                Command.Argument(
                    "ID", help: "a webhook-id, from attempts, a letter, the log or the receiver", isOptional: true)
            ],
            examples: [
                .init(
                    "sluicectl webhooks resend --config sluice.properties "
                        + "notification-production-7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55", "The message of this id."),
                .init(
                    """
                    sluicectl webhooks resend --config sluice.properties --failed --since 2026-11-01T00:00:00Z \
                    --topic appstore.entitlements.production.sluice-webhooks.dlq
                    """, "What a receiver missed in its bad hour."),
            ])
    }
}
