internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl refunds`.
extension SluicectlCommand {
    private static func reading(_ settings: [any AnySetting] = []) -> ConfigurationSchema {
        ConfigurationSchema(
            [
                ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, OperationsSettings.environment,
                OperationsSettings.output,
            ] + settings, openPrefixes: [ApplicationSettings.kafka])
    }

    private static let id = Command.Argument("TRANSACTION", help: "a transactionId")

    static let refunds = Command(
        "refunds", summary: "Look at refund cases and answers, what is due, and what came of it.",
        discussion: "Read from the topic of sluice-refunds, so that it needs no running service.",
        examples: [.init("sluicectl refunds due", "What Apple waits for, by deadline.")],
        subcommands: [list, due, show, answer, stats], readsConfiguration: false)

    private static let list = Command(
        "list", summary: "List cases, the newest first.",
        schema: reading([OperationsSettings.answerStatus, OperationsSettings.refundLimit]),
        examples: [
            .init("sluicectl refunds list --status missed", "Requests whose time was over."),
            .init("sluicectl refunds list --environment sandbox --output json", "Whole cases, for scripts."),
        ])

    private static let due = Command(
        "due", summary: "List what Apple waits for, by deadline.", schema: reading([OperationsSettings.refundLimit]),
        examples: [
            .init("sluicectl refunds due", "With the time that is left, and why the last attempt failed."),
            .init("sluicectl refunds due --output json", "For scripts."),
        ])

    private static let show = Command(
        "show", summary: "Show one case: requests, answer, outcome.", schema: reading([OperationsSettings.bundle]),
        arguments: [id],
        examples: [
            .init("sluicectl refunds show 2000000000000001", "What was answered, and why."),
            .init("sluicectl refunds show 2000000000000001 --output json", "As it is in the topic."),
        ])

    private static let answer = Command(
        "answer", summary: "Decide a case before the rules do.",
        discussion: """
            The answer is written to the topic; sluice-refunds sends it. It stands unless another was frozen before, \
            which cannot be changed. Prints the body, and without --yes changes nothing. Apple wants no answer without \
            the customer's consent: --consented says that there is one.
            """,
        schema: reading([
            OperationsSettings.bundle, OperationsSettings.refundOutcome, OperationsSettings.customerConsented,
            OperationsSettings.deliveryStatus, OperationsSettings.sampleContentProvided,
            OperationsSettings.consumptionPercentage, OperationsSettings.yes,
        ]), arguments: [id],
        examples: [
            .init(
                "sluicectl refunds answer 2000000000000001 --outcome decline --consented --consumption-percentage 100000 "
                    + "--yes", "All of it is consumed."),
            .init("sluicectl refunds answer 2000000000000001 --outcome doNotAnswer --yes", "Apple gets nothing."),
        ])

    private static let stats = Command(
        "stats", summary: "Count what came of the answers, by rule and by the customer's reason.", schema: reading(),
        examples: [
            .init("sluicectl refunds stats", "Granted, declined and reversed, for each rule and answer."),
            .init("sluicectl refunds stats --output json", "For scripts."),
        ])
}
