internal import AppStoreSettings
internal import Configuration
internal import ServiceKit

/// The command lines of `sluicectl backfill` and `sluicectl reconcile`.
extension SluicectlCommand {
    static let backfill = Command(
        "backfill", summary: "Find in Apple's history what never arrived in a range of time, and publish it.",
        discussion: """
            sluice-reconciler does it: it reads the whole range page by page, within its share of the API budget, and \
            goes on when this command ends. Apple tells of 180 days, in the sandbox of 30. Progress goes to standard \
            error.
            """,
        schema: ConfigurationSchema(
            [
                ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix,
                OperationsSettings.reconcilerAdminURL, OperationsSettings.backfillBundle,
                OperationsSettings.backfillFrom,
                OperationsSettings.backfillTo, OperationsSettings.environment, OperationsSettings.backfillDryRun,
                OperationsSettings.noWait, OperationsSettings.output,
            ], openPrefixes: [ApplicationSettings.kafka]),
        examples: [
            .init(
                "sluicectl backfill --bundle com.example.app --from 2026-11-20T00:00:00Z --dry-run",
                "What of the last days is missing; nothing is published."),
            .init(
                "sluicectl backfill --bundle com.example.app --from 2026-11-20T00:00:00Z --to 2026-11-21T00:00:00Z "
                    + "--environment sandbox --output json", "One day of the sandbox, for scripts."),
        ])

    static let reconcile = Command(
        "reconcile", summary: "Look for what was missed: the sweeps of Apple's history, and its subscription statuses.",
        examples: [
            .init("sluicectl reconcile report", "What was missing, and how far the sweeps are."),
            .init("sluicectl reconcile statuses", "Whether what is published is what Apple says."),
        ],
        subcommands: [
            Command(
                "report",
                summary: "Print each sweep: its state, what the last complete one found, and when the next is due.",
                discussion: """
                    Asks a running sluice-reconciler. MISSING is what was not in the notification topic; it was \
                    published unless that was a dry run. DIFFER is how many of the subscriptions of which version 1 \
                    spoke are not as Apple says; the first ones are listed.
                    """,
                schema: ConfigurationSchema([
                    OperationsSettings.reconcilerAdminURL, OperationsSettings.bundle, OperationsSettings.output,
                ]),
                examples: [
                    .init("sluicectl reconcile report", "A table, with failures and what was missing."),
                    .init("sluicectl reconcile report --output json", "Whole sweeps, one on each line, for scripts."),
                ]),
            Command(
                "cancel", summary: "End a backfill that is waiting or under way.",
                discussion: """
                    It ends at its next page, or at once where it waits; what it has published stays. The request is a record of the \
                    reconciliation topic, so that it reaches whichever sluice-reconciler runs the backfill.
                    """,
                schema: ConfigurationSchema(
                    [
                        ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix,
                        OperationsSettings.reconcilerAdminURL, OperationsSettings.output,
                    ], openPrefixes: [ApplicationSettings.kafka]),
                arguments: [
                    Command.Argument("ID", help: "of the backfill, as sluicectl backfill and reconcile report print it")
                ],
                examples: [
                    .init("sluicectl reconcile cancel 1795435200000-3f2a", "What it has published stays published.")
                ]),
            Command(
                "statuses",
                summary: "Compare the subscriptions of an app that sends version 1 with Apple's statuses.",
                discussion: """
                    Apple's history records version 2 only: what an app with version 1 missed shows in the state of its \
                    subscriptions. Reads the entitlements topic, and asks Get All Subscription Statuses about each \
                    subscription of which version 1 said anything or that needs the answer, behind the services that use \
                    the same API. Exits with 0 when all agree, and with 1 when some differ or Apple gave no answer that \
                    can be used about some.
                    """,
                schema: ConfigurationSchema(
                    [
                        ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix,
                        AppStoreSettings.appsIfAny, AppStoreSettings.environments, AppStoreSettings.roots,
                        OperationsSettings.apiBundle, OperationsSettings.environment, OperationsSettings.statusesOfAll,
                        OperationsSettings.output,
                    ] + AppStoreSettings.apiSettings, openPrefixes: [ApplicationSettings.kafka]),
                examples: [
                    .init("sluicectl reconcile statuses --bundle com.example.app", "A table of those that differ."),
                    .init("sluicectl reconcile statuses --all --output json", "Every subscription, for scripts."),
                ]),
        ], readsConfiguration: false)
}
