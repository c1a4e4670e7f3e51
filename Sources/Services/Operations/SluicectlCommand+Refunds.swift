internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl refunds`.
extension SluicectlCommand {
    private static func reading(_ settings: [any AnySetting] = []) -> ConfigurationSchema {
        ConfigurationSchema(
            [
                ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, OperationsSettings.environment,
                OperationsSettings.output, OperationsSettings.roundGap,
            ] + settings, openPrefixes: [ApplicationSettings.kafka])
    }

    private static let id = Command.Argument("TRANSACTION", help: "a transactionId")

    static let refunds = Command(
        "refunds", summary: "Look at refund cases and answers, what is due, and what came of it.",
        discussion: "Read from the topic of sluice-refunds, so that it needs no running service.",
        examples: [
            .init("sluicectl refunds due", "Requests that Apple waits for, by the end of their time."),
            .init("sluicectl refunds try --rules refund-rules.json", "New rules on past requests."),
        ],
        subcommands: [list, due, show, answer, stats, trial, preference, erasure], readsConfiguration: false)

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
        "answer", summary: "Decide a request before the rules do, or once more.",
        discussion: """
            The answer is written to the topic; sluice-refunds sends it. It is the one of its round unless another was \
            frozen before; with --again a round of its own is opened for it, for whatever Apple has not accepted. Prints \
            the body, and without --yes changes nothing. Apple wants no answer without the customer's consent: --consented \
            says that there is one. Apple requires --delivery-status, and --sample-content or --no-sample-content.
            """,
        schema: reading([
            OperationsSettings.bundle, OperationsSettings.refundOutcome, OperationsSettings.customerConsented,
            OperationsSettings.deliveryStatus, OperationsSettings.sampleContentProvided,
            OperationsSettings.noSampleContent, OperationsSettings.consumptionPercentage, OperationsSettings.again,
            OperationsSettings.yes,
        ]), arguments: [id],
        examples: [
            .init(
                "sluicectl refunds answer 2000000000000001 --outcome decline --consented --delivery-status DELIVERED "
                    + "--no-sample-content --consumption-percentage 100000 --yes", "All of it is consumed."),
            .init("sluicectl refunds answer 2000000000000001 --outcome doNotAnswer --yes", "Apple gets nothing."),
        ])

    private static let stats = Command(
        "stats", summary: "Count what Apple decided after the answers.",
        discussion: "SILENT are rounds about which Apple has told nothing: still open, or refused without a word.",
        schema: reading([
            OperationsSettings.statisticsBy, OperationsSettings.refundsFrom, OperationsSettings.refundsTo,
        ]),
        examples: [
            .init("sluicectl refunds stats", "Granted, declined and reversed, by rule, answer and reason."),
            .init(
                "sluicectl refunds stats --by month,product,end --from 2026-01-01T00:00:00Z",
                "By month and product, and why no answer was accepted."),
            .init("sluicectl refunds stats --output json", "For scripts."),
        ])

    private static let trial = Command(
        "try", summary: "Try rules on the requests that the topic or the archive holds.",
        discussion: """
            For each rule and answer: how many rounds, how much money by currency, what Apple decided, and how many would \
            be answered otherwise than the rules of refunds.rules say, or than they were answered. The service's recorded \
            answers are used as they are. With --from-archive the archive is read in place of Kafka, which needs its key \
            store. Nothing is sent or written.
            """,
        schema: reading(
            [
                OperationsSettings.triedRules, OperationsSettings.rulesInForce, OperationsSettings.refundsFrom,
                OperationsSettings.refundsTo, OperationsSettings.fromArchive,
            ] + ArchivedRefunds.settings),
        examples: [
            .init("sluicectl refunds try --rules refund-rules.json", "All requests of the topic."),
            .init(
                "sluicectl refunds try --rules new.json --refunds.rules refund-rules.json --from 2026-11-01T00:00:00Z",
                "Compared with the rules in force, requests since November."),
            .init(
                "sluicectl refunds try --rules new.json --from-archive --config sluice.properties",
                "All requests of the archive."),
        ])

    private static let erasure = Command(
        "erase", summary: "Remove a person from the refund cases of an environment.",
        discussion: """
            Of each case remain the requests and whether they were answered, so that nothing is answered twice. A \
            preference that is recorded becomes a withdrawal. Prints them, and without --yes changes nothing. Entitlements \
            and the archive are erased on their own: POST /v1/erasures, sluicectl archive erase.
            """,
        schema: reading([OperationsSettings.bundle, OperationsSettings.yes]),
        arguments: [
            Command.Argument(
                "ID", help: "an appAccountToken, appTransactionId, originalTransactionId or transactionId")
        ],
        examples: [
            .init("sluicectl refunds erase 7e3fb204-2d5b-4a5c-8f1e-000000000001", "Shows which cases."),
            .init("sluicectl refunds erase 7e3fb204-2d5b-4a5c-8f1e-000000000001 --yes", "Erases them."),
        ])

    // MARK: preference

    private static let customer = Command.Argument(
        "CUSTOMER", help: "an appAccountToken (UUID) or an appTransactionId (digits)")

    private static let preference = Command(
        "preference", summary: "Record what the company knows of a customer about refunds.",
        discussion: """
            Records are in the compacted topic …refunds.preferences under the customer's appAccountToken or \
            appTransactionId; any Kafka producer may write it (refund-preference.schema.json). A no goes before every yes.
            """,
        examples: [
            .init(
                "sluicectl refunds preference set 7e3fb204-2d5b-4a5c-8f1e-000000000001 --consent true",
                "The customer consents to share consumption data with Apple.")
        ],
        subcommands: [set, shown, withdraw], readsConfiguration: false)

    private static let set = Command(
        "set", summary: "Record consent, a preference or facts; what is not named stays.",
        schema: reading([
            OperationsSettings.preferenceConsent, OperationsSettings.preferenceSince,
            OperationsSettings.preferenceOutcome, OperationsSettings.deliveryStatus,
            OperationsSettings.sampleContentProvided, OperationsSettings.noSampleContent,
            OperationsSettings.consumptionPercentage,
        ]), arguments: [customer],
        examples: [
            .init(
                "sluicectl refunds preference set 704289572311513294 --consent true --preference grantFull",
                "Under the appTransactionId.")
        ])

    private static let shown = Command(
        "show", summary: "Show what is recorded for a customer.", schema: reading(), arguments: [customer],
        examples: [.init("sluicectl refunds preference show 704289572311513294", "As it is in the topic.")])

    private static let withdraw = Command(
        "withdraw", summary: "Record that the customer withdrew consent: nothing more is sent.",
        schema: reading([OperationsSettings.preferenceSince]), arguments: [customer],
        examples: [
            .init(
                "sluicectl refunds preference withdraw 704289572311513294", "Also for answers that are frozen already.")
        ])
}
