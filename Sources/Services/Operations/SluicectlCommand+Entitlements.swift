internal import Configuration
internal import PipelineRuntime

/// The command line of `sluicectl entitlements`.
extension SluicectlCommand {
    private static func asking(_ settings: [any AnySetting]) -> ConfigurationSchema {
        ConfigurationSchema(
            [OperationsSettings.entitlementsURL, OperationsSettings.environment, OperationsSettings.output] + settings,
            alsoKnown: ApplicationSettings.ofAllExecutables)
    }

    private static let id = Command.Argument("ID", help: "an appAccountToken or an originalTransactionId")
    private static let idIs = "A UUID is an appAccountToken, everything else an originalTransactionId."

    static let entitlements = Command(
        "entitlements", summary: "Ask sluice-entitlements who may use what.",
        examples: [.init("sluicectl entitlements show 2000000000000001", "What one purchase gives.")],
        subcommands: [show, history, list, claim, erase, rebuild], readsConfiguration: false)

    private static let show = Command(
        "show", summary: "Show what an account or a purchase gives.", discussion: idIs,
        schema: asking([OperationsSettings.entitledAt, OperationsSettings.isAppTransaction]), arguments: [id],
        examples: [
            .init("sluicectl entitlements show 2000000000000001", "What one purchase gives now."),
            .init(
                "sluicectl entitlements show 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55 --environment sandbox",
                "Everything of one account."),
            .init(
                "sluicectl entitlements show 2000000000000001 --at 2026-11-01T00:00:00Z --output json",
                "What held then, as the service answers it."),
        ])

    private static let history = Command(
        "history", summary: "Show what happened to the purchases of an account, and which notification told of it.",
        discussion: idIs + " The last 32 notifications of each purchase are kept.",
        schema: asking([OperationsSettings.isAppTransaction]), arguments: [id],
        examples: [
            .init("sluicectl entitlements history 2000000000000001", "Changes of state, then every notification."),
            .init("sluicectl entitlements history 2000000000000001 --output json", "For programs."),
        ])

    private static let list = Command(
        "list", summary: "List purchases, page by page.",
        schema: asking([
            OperationsSettings.unclaimed, OperationsSettings.listLimit, OperationsSettings.listAfter,
        ]),
        examples: [
            .init("sluicectl entitlements list --unclaimed", "What was bought without an appAccountToken."),
            .init(
                "sluicectl entitlements list --limit 1000 --after com.example.app/2000000000000001 --output json",
                "The next page."),
        ])

    private static let claim = Command(
        "claim", summary: "Say to which account a purchase belongs that was made without an appAccountToken.",
        discussion: """
            Takes the place of an earlier claim; an appAccountToken of the purchase itself stands above every claim. \
            The service must run with entitlements.changes=true.
            """,
        schema: asking([OperationsSettings.bundle]),
        arguments: [
            Command.Argument("ID", help: "an originalTransactionId"),
            Command.Argument("ACCOUNT", help: "the appAccountToken, a UUID"),
        ],
        examples: [
            .init(
                "sluicectl entitlements claim 2000000000000001 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55",
                "The purchase belongs to this account from now on.")
        ])

    private static let erase = Command(
        "erase", summary: "Forget everything about the purchases of an account, for ever.",
        discussion: """
            Publishes a tombstone for each purchase. What was signed before is not taken in again, whoever reads the \
            notifications again; a later notification is. The notifications themselves stay in their topic as long as \
            that keeps them. The service must run with entitlements.changes=true. \(idIs)
            """,
        schema: asking([OperationsSettings.bundle, OperationsSettings.isAppTransaction, OperationsSettings.yes]),
        arguments: [id],
        examples: [
            .init("sluicectl entitlements erase 7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55", "Say what would be erased."),
            .init("sluicectl entitlements erase 2000000000000001 --yes", "Erase one purchase."),
        ])

    private static let rebuild = Command(
        "rebuild", summary: "Let sluice-entitlements read all notifications again.",
        discussion: """
            Sets the consumer group back to the beginning of the notification topics; every member must be stopped. \
            Nothing known is lost or changed by it. It is not needed after a lost disk: the database is restored from \
            its topic.
            """,
        schema: ConfigurationSchema(
            [
                ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix,
                OperationsSettings.entitlementsGroup, OperationsSettings.yes, OperationsSettings.output,
            ], openPrefixes: [ApplicationSettings.kafka], alsoKnown: ApplicationSettings.ofAllExecutables),
        examples: [
            .init("sluicectl entitlements rebuild", "Say where the group would begin."),
            .init("sluicectl entitlements rebuild --yes --kafka.bootstrap.servers kafka-1:9092", "Set it back."),
        ], readsConfiguration: true)
}
