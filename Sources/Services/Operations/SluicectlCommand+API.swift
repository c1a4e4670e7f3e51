internal import AppStoreSettings
internal import Configuration

/// The command line of `sluicectl api`.
extension SluicectlCommand {
    private static func asking(_ settings: [any AnySetting] = []) -> ConfigurationSchema {
        ConfigurationSchema(
            [
                AppStoreSettings.appsIfAny, AppStoreSettings.environments, AppStoreSettings.roots,
                OperationsSettings.apiBundle, OperationsSettings.environment, OperationsSettings.output,
            ] + settings + AppStoreSettings.apiSettings)
    }

    private static let anyId = Command.Argument(
        "ID", help: "a transactionId, originalTransactionId or appTransactionId of the customer")
    private static let answer = """
        What Apple signed is verified, and printed only if it is of this app and environment. Exits with 1 when Apple \
        refuses the request, or when anything in the answer is not verified.
        """

    static let api = Command(
        "api", summary: "Ask Apple's App Store Server API.",
        discussion: """
            Needs apps, appstore.api.issuer.id, appstore.api.key.id and appstore.api.key.file, mostly in the file that \
            --config or SLUICE_CONFIG names. \(answer)
            """,
        examples: [.init("sluicectl api transaction 2000000000000001", "What Apple says about a transaction now.")],
        subcommands: [transaction, subscriptions, transactionHistory, refundHistory, order, testNotification],
        readsConfiguration: false)

    private static let transaction = Command(
        "transaction", summary: "Print one transaction (Get Transaction Info).", discussion: answer, schema: asking(),
        arguments: [Command.Argument("ID", help: "a transactionId")],
        examples: [
            .init("sluicectl api transaction 2000000000000001", "In Production."),
            .init(
                "sluicectl api transaction 2000000000000001 --environment sandbox --output json",
                "In the sandbox, as Apple signed it."),
        ])

    private static let subscriptions = Command(
        "subscriptions", summary: "List the subscriptions of a customer (Get All Subscription Statuses).",
        discussion: answer, schema: asking(), arguments: [anyId],
        examples: [
            .init("sluicectl api subscriptions 2000000000000001", "Status, product and expiry of each."),
            .init(
                "sluicectl api subscriptions 2000000000000001 --output json",
                "With the latest transaction and renewal info of each."),
        ])

    private static let transactionHistory = Command(
        "history", summary: "List the transactions of a customer (Get Transaction History).",
        discussion: "The last changed comes last. \(answer)",
        schema: asking([OperationsSettings.apiLimit, OperationsSettings.apiRevision]), arguments: [anyId],
        examples: [
            .init("sluicectl api history 2000000000000001", "The first hundred."),
            .init("sluicectl api history 2000000000000001 --limit 10000 --output json", "All of them, for scripts."),
        ])

    private static let refundHistory = Command(
        "refunds", summary: "List the refunded transactions of a customer (Get Refund History).",
        discussion: "The oldest refund comes first. \(answer)",
        schema: asking([OperationsSettings.apiLimit, OperationsSettings.apiRevision]), arguments: [anyId],
        examples: [
            .init("sluicectl api refunds 2000000000000001", "When, why and how much."),
            .init("sluicectl api refunds 2000000000000001 --output json", "For scripts."),
        ])

    private static let order = Command(
        "order", summary: "List the transactions of an order number from a customer's receipt (Look Up Order ID).",
        discussion: "An order of another app is unknown here. \(answer)", schema: asking(),
        arguments: [Command.Argument("ORDER", help: "the order number, such as MK4TT4X3J")],
        examples: [
            .init("sluicectl api order MK4TT4X3J", "What was bought."),
            .init("sluicectl api order MK4TT4X3J --output json", "For scripts."),
        ])

    private static let testNotification = Command(
        "test-notification", summary: "Have Apple send a test notification, and report how it was delivered.",
        discussion: """
            Apple posts to the URL that App Store Connect has for the environment, and says after about a minute what \
            came of it. Exits with 1 when it was not delivered, or not in time.
            """,
        schema: asking([OperationsSettings.testWait]),
        examples: [
            .init("sluicectl api test-notification", "Is the ingress reachable for Apple?"),
            .init("sluicectl api test-notification --environment sandbox --wait 0s", "Only requests one."),
        ])
}
