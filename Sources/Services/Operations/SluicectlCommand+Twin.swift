internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl compare-versions`.
extension SluicectlCommand {
    static let compareVersions = Command(
        "compare-versions", summary: "Compare the notifications of version 1 with those of version 2.",
        discussion: """
            For the time of a move, in which both are sent and published. Matches the two by app, purchase, transaction \
            and type, and counts for each type what one of them had and the other had not. What has no counterpart by \
            Apple's design is counted as expected. Then joins the facts of each one alone, and lists the purchases that \
            end in different states. Reads the notification topic and nothing else. Exits with 0 when they agree and 1 \
            when they differ.
            """,
        schema: ConfigurationSchema(
            [
                ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, OperationsSettings.environment,
                OperationsSettings.output,
            ] + TwinSettings.all, openPrefixes: [ApplicationSettings.kafka]),
        examples: [
            .init("sluicectl compare-versions", "All that the topic has of production."),
            .init(
                "sluicectl compare-versions --from 2026-11-01T00:00:00Z --to 2026-11-08T00:00:00Z --bundle com.example.app",
                "One week of one app."),
            .init("sluicectl compare-versions --environment sandbox --output json", "For scripts."),
        ])
}
