internal import CommandLine
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
        "refunds", summary: "Show refund cases, answers, deadlines and outcomes.",
        discussion: "Reads the topic to which sluice-refunds publishes; no service needs to be running.",
        examples: [
            .init("sluicectl refunds due", "List requests waiting for an answer, by deadline."),
            .init("sluicectl refunds try --rules refund-rules.json", "Try new rules on past requests."),
        ],
        subcommands: [list, due, show, answer, stats, trial, preference, erasure], readsConfiguration: false)

    private static let list = Command(
        "list", summary: "List cases, newest first.",
        schema: reading([OperationsSettings.answerStatus, OperationsSettings.refundLimit]),
        examples: [
            .init("sluicectl refunds list --status missed", "List requests with a missed deadline."),
            .init("sluicectl refunds list --environment sandbox --output json", "Print whole cases, for scripts."),
        ]
    ) { try await RefundsCommand($0).list($0.console) }

    private static let due = Command(
        "due", summary: "List requests waiting for an answer, by deadline.",
        schema: reading([OperationsSettings.refundLimit]),
        examples: [
            .init("sluicectl refunds due", "Include the remaining time and the failure of the last attempt."),
            .init("sluicectl refunds due --output json", "For scripts."),
        ]
    ) { try await RefundsCommand($0).due($0.console) }

    private static let show = Command(
        "show", summary: "Show one case: requests, answer, outcome.", schema: reading([OperationsSettings.app]),
        arguments: [id],
        examples: [
            .init("sluicectl refunds show 2000000000000001", "Show the answer and its reason."),
            .init("sluicectl refunds show 2000000000000001 --output json", "Print the case as stored in the topic."),
        ]
    ) { try await RefundsCommand($0).show($0.argument, $0.console) }

    private static let answer = Command(
        "answer", summary: "Answer a request yourself instead of applying the rules, or answer it again.",
        discussion: """
            The answer is written to the topic; sluice-refunds sends it. It applies to its round unless another answer \
            was frozen earlier; --again opens a new round for it if Apple has not accepted an answer. Prints the body; \
            without --yes, nothing is changed. Apple does not accept an answer without the customer's consent, \
            confirmed by --consented. Apple requires --delivery-status, and --sample-content or --no-sample-content.
            """,
        schema: reading([
            OperationsSettings.app, OperationsSettings.refundOutcome, OperationsSettings.customerConsented,
            OperationsSettings.deliveryStatus, OperationsSettings.sampleContentProvided,
            OperationsSettings.noSampleContent, OperationsSettings.consumptionPercentage, OperationsSettings.again,
            OperationsSettings.yes,
        ]), arguments: [id],
        examples: [
            .init(
                "sluicectl refunds answer 2000000000000001 --outcome decline --consented --delivery-status DELIVERED "
                    + "--no-sample-content --consumption-percentage 100000 --yes",
                "Decline the refund of a fully consumed purchase."),
            .init("sluicectl refunds answer 2000000000000001 --outcome doNotAnswer --yes", "Send nothing to Apple."),
        ]
    ) { try await RefundAnswerCommand(refunds: RefundsCommand($0)).run($0.argument, $0.console) }

    private static let stats = Command(
        "stats", summary: "Count Apple's decisions, grouped by rule, answer or other fields.",
        discussion:
            "SILENT counts rounds without a decision from Apple: still open, or declined without a notification.",
        schema: reading([
            OperationsSettings.statisticsBy, OperationsSettings.refundsFrom, OperationsSettings.refundsTo,
        ]),
        examples: [
            .init("sluicectl refunds stats", "Count decisions by rule, answer and reason."),
            .init(
                "sluicectl refunds stats --by month,product,end --from 2026-01-01T00:00:00Z",
                "Count by month, product and the reason for missing answers."),
            .init("sluicectl refunds stats --output json", "For scripts."),
        ]
    ) { try await RefundsCommand($0).stats($0.console) }

    private static let trial = Command(
        "try", summary: "Try rules on past requests from the topic or the archive.",
        discussion: """
            For each rule and answer, prints the number of rounds, the amounts by currency, Apple's decisions, and the \
            number of rounds whose answer differs from that of refunds.rules or, without refunds.rules, from the \
            recorded answer. The service's recorded answers are used unchanged. With --from-archive, the archive is \
            read instead of Kafka; this requires its key store. Exits with 1 if archived records are missing, or if \
            their keys are not in the key store, because the counts then lack them. Nothing is sent or written.
            """,
        schema: reading(
            [
                OperationsSettings.triedRules, OperationsSettings.rulesInForce, OperationsSettings.refundsFrom,
                OperationsSettings.refundsTo, OperationsSettings.fromArchive,
            ] + ArchivedRefunds.settings),
        examples: [
            .init("sluicectl refunds try --rules refund-rules.json", "Try the rules on all requests in the topic."),
            .init(
                "sluicectl refunds try --rules new.json --refunds.rules refund-rules.json --from 2026-11-01T00:00:00Z",
                "Compare with the rules in force, for requests since November."),
            .init(
                "sluicectl refunds try --rules new.json --from-archive --config sluice.properties",
                "Try the rules on all requests in the archive."),
        ]
    ) { try await RefundsCommand($0).tryRules($0.console) }

    private static let erasure = Command(
        "erase", summary: "Remove a person from the refund cases in an environment.",
        discussion: """
            Each case keeps only its requests and whether they were answered, so that no request is answered twice. A \
            recorded preference is replaced by a withdrawal of consent. Prints the cases and preferences; without \
            --yes, nothing is changed. Entitlements and the archive are erased separately: POST /v1/erasures, \
            sluicectl archive erase.
            """,
        schema: reading([OperationsSettings.app, OperationsSettings.yes]),
        arguments: [
            Command.Argument(
                "ID", help: "an appAccountToken, appTransactionId, originalTransactionId or transactionId")
        ],
        examples: [
            .init(
                "sluicectl refunds erase 7e3fb204-2d5b-4a5c-8f1e-000000000001", "List the data that would be erased."),
            .init("sluicectl refunds erase 7e3fb204-2d5b-4a5c-8f1e-000000000001 --yes", "Erase the data."),
        ]
    ) { try await RefundErasureCommand(refunds: RefundsCommand($0)).run($0.argument, $0.console) }

    // MARK: preference

    private static let customer = Command.Argument(
        "CUSTOMER", help: "an appAccountToken (UUID) or an appTransactionId (digits)")

    private static let preference = Command(
        "preference", summary: "Record a customer's consent, preferences and facts for refunds.",
        discussion: """
            Records are stored in the compacted …refunds.preferences topic under the customer's appAccountToken or \
            appTransactionId; any Kafka producer may write them (refund-preference.schema.json). A refusal of consent \
            overrides any consent.
            """,
        examples: [
            .init(
                "sluicectl refunds preference set 7e3fb204-2d5b-4a5c-8f1e-000000000001 --consent true",
                "Record that the customer consents to share consumption data with Apple.")
        ],
        subcommands: [set, shown, withdraw], readsConfiguration: false)

    private static let set = Command(
        "set", summary: "Record consent, a preference or facts; omitted members remain unchanged.",
        schema: reading([
            OperationsSettings.preferenceConsent, OperationsSettings.statedAt,
            OperationsSettings.preferenceOutcome, OperationsSettings.deliveryStatus,
            OperationsSettings.sampleContentProvided, OperationsSettings.noSampleContent,
            OperationsSettings.consumptionPercentage,
        ]), arguments: [customer],
        examples: [
            .init(
                "sluicectl refunds preference set 704289572311513294 --consent true --preference grantFull",
                "Record the consent and preference for an appTransactionId.")
        ]
    ) { try await RefundPreferenceCommand(refunds: RefundsCommand($0)).set($0.argument, $0.console) }

    private static let shown = Command(
        "show", summary: "Show a customer's record.", schema: reading(), arguments: [customer],
        examples: [
            .init("sluicectl refunds preference show 704289572311513294", "Print the record as stored in the topic.")
        ]
    ) { try await RefundPreferenceCommand(refunds: RefundsCommand($0)).show($0.argument, $0.console) }

    private static let withdraw = Command(
        "withdraw", summary: "Record that the customer has withdrawn consent, so that nothing more is sent.",
        schema: reading([OperationsSettings.statedAt]), arguments: [customer],
        examples: [
            .init(
                "sluicectl refunds preference withdraw 704289572311513294",
                "Record a withdrawal, which also applies to frozen answers.")
        ]
    ) { try await RefundPreferenceCommand(refunds: RefundsCommand($0)).withdraw($0.argument, $0.console) }
}
