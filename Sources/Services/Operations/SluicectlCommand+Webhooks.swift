internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl webhooks`.
extension SluicectlCommand {
    /// Empty where nothing is known of webhooks.
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
            schema: ConfigurationSchema([OperationsSettings.output]).adding(webhooks.schema),
            examples: [
                .init("sluicectl webhooks test --config sluice.properties", "With the configured address and key."),
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
            OperationsSettings.output,
        ]),
        examples: [
            .init("sluicectl webhooks attempts --failed", "What the receiver did not accept, and what it answered."),
            .init("sluicectl webhooks attempts --count 1000 --output json", "For scripts."),
        ])

    private static func resend(_ webhooks: SluicectlParts.Webhooks) -> Command {
        Command(
            "resend", summary: "Post the message of a webhook-id once more.",
            discussion: """
                The same body under the same id, with a new timestamp and signature; no offset is changed, and filters do \
                not count. Of a state Kafka keeps the last one of each purchase: an older one may be gone. Exits with 0 \
                when it is accepted and 1 when it is not.
                """,
            schema: ConfigurationSchema(
                [ApplicationSettings.bootstrapServers, OperationsSettings.output],
                openPrefixes: [ApplicationSettings.kafka]
            ).adding(webhooks.schema),
            arguments: [Command.Argument("ID", help: "a webhook-id, from attempts or from the receiver")],
            examples: [
                .init(
                    "sluicectl webhooks resend --config sluice.properties "
                        + "appstore_entitlements_production-3-1742-1793491201000-0c3f9a4b5d6e7f80",
                    "The record of this id.")
            ])
    }
}
