internal import AppStoreSettings
internal import CommandLine
internal import Configuration

/// The command line of `sluicectl api`.
extension SluicectlCommand {
    private static func asking(_ settings: [any AnySetting] = []) -> ConfigurationSchema {
        ConfigurationSchema(
            [
                AppStoreSettings.appsIfAny, AppStoreSettings.environments, AppStoreSettings.roots,
                OperationsSettings.apiApp, OperationsSettings.environment, OperationsSettings.output,
            ] + settings + AppStoreSettings.apiSettings)
    }

    private static let anyId = Command.Argument(
        "ID", help: "any transactionId, originalTransactionId or appTransactionId of the customer")
    private static let answer = """
        Signed objects are verified, and printed only if they belong to this app and environment. Exits with 1 if \
        Apple rejects the request, or if verification fails.
        """

    static let api = Command(
        "api", summary: "Query Apple's App Store Server API.",
        discussion: """
            Requires apps, appstore.api.issuer.id, appstore.api.key.id and appstore.api.key.file, usually set in the \
            file given by --config or SLUICE_CONFIG. \(answer)
            """,
        examples: [.init("sluicectl api transaction 2000000000000001", "Print the current state of a transaction.")],
        subcommands: [transaction, subscriptions, transactionHistory, refundHistory, order, testNotification],
        readsConfiguration: false)

    private static let transaction = Command(
        "transaction", summary: "Print one transaction (Get Transaction Info).", discussion: answer, schema: asking(),
        arguments: [Command.Argument("ID", help: "a transactionId")],
        examples: [
            .init("sluicectl api transaction 2000000000000001", "Print a production transaction."),
            .init(
                "sluicectl api transaction 2000000000000001 --environment sandbox --output json",
                "Print a sandbox transaction as Apple signed it."),
        ]
    ) { try await APICommand($0).transaction($0.argument, $0.console) }

    private static let subscriptions = Command(
        "subscriptions", summary: "List a customer's subscriptions (Get All Subscription Statuses).",
        discussion: answer, schema: asking(), arguments: [anyId],
        examples: [
            .init("sluicectl api subscriptions 2000000000000001", "Print the status, product and expiry of each."),
            .init(
                "sluicectl api subscriptions 2000000000000001 --output json",
                "Include the latest transaction and renewal info of each."),
        ]
    ) { try await APICommand($0).subscriptions($0.argument, $0.console) }

    private static let transactionHistory = Command(
        "history", summary: "List a customer's transactions (Get Transaction History).",
        discussion: "Sorted by modification date, newest last. \(answer)",
        schema: asking([OperationsSettings.apiLimit, OperationsSettings.apiRevision]), arguments: [anyId],
        examples: [
            .init("sluicectl api history 2000000000000001", "Print the first hundred."),
            .init("sluicectl api history 2000000000000001 --limit 10000 --output json", "Print all, for scripts."),
        ]
    ) { try await APICommand($0).history($0.argument, $0.console) }

    private static let refundHistory = Command(
        "refunds", summary: "List a customer's refunded transactions (Get Refund History).",
        discussion: "Sorted by refund date, oldest first. \(answer)",
        schema: asking([OperationsSettings.apiLimit, OperationsSettings.apiRevision]), arguments: [anyId],
        examples: [
            .init("sluicectl api refunds 2000000000000001", "Print the date, reason and amount of each."),
            .init("sluicectl api refunds 2000000000000001 --output json", "For scripts."),
        ]
    ) { try await APICommand($0).refunds($0.argument, $0.console) }

    private static let order = Command(
        "order", summary: "List the transactions for an order number from a customer's receipt (Look Up Order ID).",
        discussion: "Orders from other apps are not found. \(answer)", schema: asking(),
        arguments: [Command.Argument("ORDER", help: "the order number, such as MK4TT4X3J")],
        examples: [
            .init("sluicectl api order MK4TT4X3J", "Print the purchased products."),
            .init("sluicectl api order MK4TT4X3J --output json", "For scripts."),
        ]
    ) { try await APICommand($0).order($0.argument, $0.console) }

    private static let testNotification = Command(
        "test-notification", summary: "Request a test notification from Apple, and report its delivery.",
        discussion: """
            Apple posts to the URL set in App Store Connect for the environment, and reports the outcome after \
            about a minute. Exits with 1 if the notification was not delivered in time.
            """,
        schema: asking([OperationsSettings.testWait]),
        examples: [
            .init("sluicectl api test-notification", "Check that Apple can reach the ingress."),
            .init(
                "sluicectl api test-notification --environment sandbox --wait 0s",
                "Request one without waiting for the report."),
        ]
    ) { try await APICommand($0).testNotification($0.console) }
}
