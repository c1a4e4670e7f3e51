internal import CommandLine
internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl entitlements`.
extension SluicectlCommand {
    private static func asking(_ settings: [any AnySetting]) -> ConfigurationSchema {
        ConfigurationSchema(
            [
                OperationsSettings.entitlementsURL, OperationsSettings.entitlementsKey, OperationsSettings.environment,
                OperationsSettings.output,
            ] + settings)
    }

    private static let id = Command.Argument("ID", help: "an appAccountToken or an originalTransactionId")
    private static let idIs = "A UUID is treated as an appAccountToken and any other value as an originalTransactionId."

    static let entitlements = Command(
        "entitlements", summary: "Query the entitlements in sluice-entitlements.",
        examples: [.init("sluicectl entitlements show 2000000000000001", "Show the entitlements of one purchase.")],
        subcommands: [show, history, list, claim, erase, rebuild], readsConfiguration: false)

    private static let show = Command(
        "show", summary: "Show the entitlements of an account or a purchase.", discussion: idIs,
        schema: asking([
            OperationsSettings.entitledAt, OperationsSettings.isAppTransaction, OperationsSettings.isTransaction,
        ]), arguments: [id],
        examples: [
            .init("sluicectl entitlements show 2000000000000001", "Show the current entitlements of one purchase."),
            .init(
                "sluicectl entitlements show 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55 --environment sandbox",
                "Show all entitlements of one account."),
            .init(
                "sluicectl entitlements show 2000000000000001 --at 2026-11-01T00:00:00Z --output json",
                "Show the entitlements at that time, as returned by the service."),
        ]
    ) { try await EntitlementsCommand(configuration: $0.configuration).show($0.argument, $0.console) }

    private static let history = Command(
        "history", summary: "Show the state changes of an account's purchases and the notifications behind them.",
        discussion: idIs + " The last 12 notifications for each purchase are stored.",
        schema: asking([OperationsSettings.isAppTransaction, OperationsSettings.isTransaction]), arguments: [id],
        examples: [
            .init("sluicectl entitlements history 2000000000000001", "Show state changes, then each notification."),
            .init("sluicectl entitlements history 2000000000000001 --output json", "For scripts."),
        ]
    ) { try await EntitlementsCommand(configuration: $0.configuration).history($0.argument, $0.console) }

    private static let list = Command(
        "list", summary: "List purchases, page by page.",
        schema: asking([
            OperationsSettings.unclaimed, OperationsSettings.listLimit, OperationsSettings.listAfter,
        ]),
        examples: [
            .init("sluicectl entitlements list --unclaimed", "List purchases made without an appAccountToken."),
            .init(
                "sluicectl entitlements list --limit 1000 --after-key com.example.app/2000000000000001 --output json",
                "List the next page."),
        ]
    ) { try await EntitlementsCommand(configuration: $0.configuration).list($0.console) }

    private static let claim = Command(
        "claim", summary: "Assign a purchase to an account.",
        discussion: """
            A purchase that belongs to another account, by its appAccountToken or an earlier claim, is moved only \
            with --transfer and --signed-transaction. The service must run with entitlements.changes=true.
            """,
        schema: asking([
            OperationsSettings.app, OperationsSettings.claimTransfer, OperationsSettings.claimProof,
        ]),
        arguments: [
            Command.Argument("ID", help: "an originalTransactionId"),
            Command.Argument("ACCOUNT", help: "the appAccountToken, a UUID"),
        ],
        examples: [
            .init(
                "sluicectl entitlements claim 2000000000000001 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55",
                "Assign the purchase to this account."),
            .init(
                """
                sluicectl entitlements claim 2000000000000001 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55 --transfer \
                --signed-transaction transaction.jws
                """,
                "Move the purchase from its current account."),
        ]
    ) {
        try await EntitlementsCommand(configuration: $0.configuration).claim(
            $0.argument, $0.arguments.last ?? "", $0.console)
    }

    private static let erase = Command(
        "erase", summary: "Permanently erase an account's purchases.",
        discussion: """
            Publishes a tombstone for each purchase. Notifications signed before the erasure are ignored, even if the \
            topic is read again; later ones are applied. The notifications themselves remain in their topic until its \
            retention expires. The service must run with entitlements.changes=true. \(idIs)
            """,
        schema: asking([OperationsSettings.app, OperationsSettings.isAppTransaction, OperationsSettings.yes]),
        arguments: [id],
        examples: [
            .init("sluicectl entitlements erase 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55", "Print what would be erased."),
            .init("sluicectl entitlements erase 2000000000000001 --yes", "Erase one purchase."),
        ]
    ) { try await EntitlementsCommand(configuration: $0.configuration).erase($0.argument, $0.console) }

    private static let rebuild = Command(
        "rebuild", summary: "Make sluice-entitlements read all notifications again.",
        discussion: """
            Resets the consumer group to the beginning of the notification topics; every member must be stopped. No \
            state is lost or changed. Not needed after the loss of a disk: the database is restored from its topic.
            """,
        schema: ConfigurationSchema(
            [
                ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix,
                OperationsSettings.entitlementsGroup, OperationsSettings.yes, OperationsSettings.output,
            ], openPrefixes: [ApplicationSettings.kafka]),
        examples: [
            .init("sluicectl entitlements rebuild", "Print the new offsets, but change nothing."),
            .init("sluicectl entitlements rebuild --yes --kafka.bootstrap.servers kafka-1:9092", "Reset the offsets."),
        ], readsConfiguration: true
    ) { try await RebuildCommand(configuration: $0.configuration, timeout: $0.timeout).run($0.console) }
}
