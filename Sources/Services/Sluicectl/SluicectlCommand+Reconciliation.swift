internal import AppStoreSettings
internal import CommandLine
internal import Configuration
internal import ServiceKit

/// The command lines of `sluicectl backfill` and `sluicectl reconcile`.
extension SluicectlCommand {
    static let backfill = Command(
        "backfill", summary: "Find and publish notifications in Apple's history that never arrived.",
        discussion: """
            Runs in sluice-reconciler, which reads the whole range page by page, within its share of the API budget, \
            and continues after this command ends. Apple's history covers 180 days, or 30 in the sandbox. Progress \
            goes to standard error.
            """,
        schema: ConfigurationSchema(
            [
                ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix,
                OperationsSettings.reconcilerAdminURL, OperationsSettings.backfillApp,
                OperationsSettings.backfillFrom,
                OperationsSettings.backfillTo, OperationsSettings.environment, OperationsSettings.backfillDryRun,
                OperationsSettings.noWait, OperationsSettings.output,
            ], openPrefixes: [ApplicationSettings.kafka]),
        examples: [
            .init(
                "sluicectl backfill --app com.example.app --from 2026-11-20T00:00:00Z --dry-run",
                "Report the notifications missing since that time, but do not publish them."),
            .init(
                "sluicectl backfill --app com.example.app --from 2026-11-20T00:00:00Z --to 2026-11-21T00:00:00Z "
                    + "--environment sandbox --output json", "Search one day of the sandbox, with JSON output."),
        ]
    ) {
        try await BackfillCommand(configuration: $0.configuration, clocks: $0.clocks, timeout: $0.timeout).run(
            Interruption($0.interruptions()), $0.console)
    }

    static let reconcile = Command(
        "reconcile", summary: "Show the sweeps of Apple's history, and compare subscription statuses.",
        examples: [
            .init("sluicectl reconcile report", "Show findings and progress of the sweeps."),
            .init("sluicectl reconcile statuses", "Compare published states with Apple's statuses."),
        ],
        subcommands: [
            Command(
                "report",
                summary:
                    "Print each sweep's state, the findings of its last complete run, and the time of the next run.",
                discussion: """
                    Queries a running sluice-reconciler. MISSING counts notifications that were not in the \
                    notification topic; they were published unless the run was a dry run. DIFFER counts compared \
                    subscriptions whose state differs from Apple's status; the first ones are listed.
                    """,
                schema: ConfigurationSchema([
                    OperationsSettings.reconcilerAdminURL, OperationsSettings.app, OperationsSettings.output,
                ]),
                examples: [
                    .init("sluicectl reconcile report", "Print a table with failures and missing notifications."),
                    .init("sluicectl reconcile report --output json", "Print one JSON object per sweep, for scripts."),
                ]
            ) { try await ReconcileReportCommand(configuration: $0.configuration).run($0.console) },
            Command(
                "cancel", summary: "Cancel a waiting or running backfill.",
                discussion: """
                    The backfill ends at its next page, or immediately if it is waiting; published notifications \
                    remain. The request is a record in the reconciliation topic, so that it reaches the \
                    sluice-reconciler that runs the backfill.
                    """,
                schema: ConfigurationSchema(
                    [
                        ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix,
                        OperationsSettings.reconcilerAdminURL, OperationsSettings.output,
                    ], openPrefixes: [ApplicationSettings.kafka]),
                arguments: [
                    Command.Argument(
                        "ID", help: "id of the backfill, printed by sluicectl backfill and reconcile report")
                ],
                examples: [
                    .init("sluicectl reconcile cancel 1795435200000-3f2a", "Published notifications remain published.")
                ]
            ) {
                try await CancelCommand(configuration: $0.configuration, clocks: $0.clocks, timeout: $0.timeout).run(
                    $0.argument, $0.console)
            },
            Command(
                "statuses",
                summary: "For an app that uses version 1, compare its subscriptions with Apple's statuses.",
                discussion: """
                    Apple's history contains only version 2, so missed version 1 notifications are visible only in \
                    subscription states. Reads the entitlements topic, and requests Get All Subscription Statuses for \
                    each subscription with version 1 notifications or an unexplained state, at lower priority than the \
                    services that use the same API. Exits with 0 if all agree, and with 1 if some differ or have no \
                    usable response.
                    """,
                schema: ConfigurationSchema(
                    [
                        ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix,
                        AppStoreSettings.appsIfAny, AppStoreSettings.environments, AppStoreSettings.roots,
                        OperationsSettings.apiApp, OperationsSettings.environment, OperationsSettings.statusesOfAll,
                        OperationsSettings.output,
                    ] + AppStoreSettings.apiSettings, openPrefixes: [ApplicationSettings.kafka]),
                examples: [
                    .init(
                        "sluicectl reconcile statuses --app com.example.app", "Print the differing subscriptions."),
                    .init(
                        "sluicectl reconcile statuses --all --output json",
                        "Compare every subscription, with output for scripts."),
                ]
            ) {
                try await StatusesCommand(configuration: $0.configuration, clocks: $0.clocks, timeout: $0.timeout).run(
                    $0.console)
            },
        ], readsConfiguration: false)
}
