internal import CommandLine
internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl compare-versions`.
extension SluicectlCommand {
    static let compareVersions = Command(
        "compare-versions", summary: "Compare the version 1 notifications with the version 2 notifications.",
        discussion: """
            For a migration during which both versions are sent and published. Matches notifications by app, purchase, \
            transaction and type, and counts, for each type, the notifications that only one version has. \
            Notifications that, by Apple's design, have no counterpart are counted as expected. Then computes the \
            states from each version alone, and lists purchases whose states differ. Reads only the notification \
            topic. Exits with 0 if the versions agree, with 1 if they differ, and with 3 if they agree but some \
            records could not be read.
            """,
        schema: ConfigurationSchema(
            [
                ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, OperationsSettings.environment,
                OperationsSettings.output,
            ] + TwinSettings.all, openPrefixes: [ApplicationSettings.kafka]),
        examples: [
            .init("sluicectl compare-versions", "Compare the entire production topic."),
            .init(
                "sluicectl compare-versions --from 2026-11-01T00:00:00Z --to 2026-11-08T00:00:00Z "
                    + "--app com.example.app",
                "Compare one week for one app."),
            .init("sluicectl compare-versions --environment sandbox --output json", "For scripts."),
        ]
    ) { try await TwinCommand(configuration: $0.configuration, clocks: $0.clocks, timeout: $0.timeout).run($0.console) }
}
