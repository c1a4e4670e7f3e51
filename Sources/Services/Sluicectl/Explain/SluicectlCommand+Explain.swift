internal import CommandLine
internal import Configuration
internal import PipelineRuntime

/// The command line of `sluicectl explain`.
extension SluicectlCommand {
    static func explain(_ parts: SluicectlParts) -> [Command] {
        guard let entitlements = parts.entitlements else { return [] }
        // Reading a key store blocks the thread.
        return [
            Command(
                "explain", summary: "Show everything that happened to one identifier.",
                discussion: """
                    ID is a notificationUUID, a transactionId, an originalTransactionId, a webOrderLineItemId, an \
                    appAccountToken, an appTransactionId, a record key (bundleId/originalTransactionId), a \
                    webhook-id, or the order id from an invoice, which Apple resolves. Prints the notifications with \
                    their positions in Kafka and the groups that have handled them, dead letters and quarantine, each \
                    state change with the notification and the rule that caused it, refund requests with the \
                    answers to Apple, webhooks, erasures, and what was not searched. If a purchase's app is \
                    known, from --app, apps or the read API (entitlements.url), only one partition is searched. Other \
                    identifiers are searched in all partitions. Personal data is masked unless revealed. Exits with 1 \
                    if nothing was found, and with 3 if a topic does not exist, access to it is denied, a partition \
                    that may contain the story, a state or a refund case cannot be read, or --limit omits records that \
                    may belong to the story.
                    """,
                schema: ExplainSettings.schema.adding(entitlements.schema),
                arguments: [Command.Argument("ID", help: "any identifier of a notification, purchase or customer")],
                examples: [
                    .init(
                        "sluicectl explain 2000000000000001 --app com.example.app", "Show the timeline of a purchase."),
                    .init(
                        "sluicectl explain 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55", "Show the timeline of a notification."
                    ),
                    .init(
                        "sluicectl explain 2000000000000001 --why pro",
                        "Show why the entitlement is or is not granted, and every change to it."),
                    .init(
                        "sluicectl explain 2000000000000001 --at 2026-11-21T03:12:00Z",
                        "Show the state at that time, and the rule and the notification that decided it."),
                    .init(
                        "sluicectl explain 2000000000000001 --reveal --author support-1 --request T-1 --output json",
                        "Include the account and payloads. The access is recorded."),
                ]
            ) { context in
                let command = ExplainCommand(
                    configuration: context.configuration, entitlements: entitlements, clocks: context.clocks,
                    timeout: context.timeout, reveals: ArchiveReveals(context, parts))
                return try await command.run(context.argument, context.console)
            }
            .running(on: HandlerThreads.shared)
        ]
    }
}
