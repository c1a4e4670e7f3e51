internal import CommandLine
internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl top`.
extension SluicectlCommand {
    static func top(_ parts: SluicectlParts) -> Command {
        let schema = ConfigurationSchema(
            [TopSettings.members, TopSettings.once, TopSettings.interval]
                + OperationsSettings.clusterGroups.map(\.setting))
        return Command(
            "top", summary: "Show members and consumer groups, refreshed until interrupted.",
            discussion: """
                Members are read from their admin listeners: readiness with the failing checks, rates by outcome, lag \
                in records and seconds, the oldest unfinished record, pauses and budgets. Groups are read from Kafka: \
                state, lag, and the partition that is furthest behind. If one source does not respond, the other is \
                still shown. Without a terminal, snapshots are appended; with --output json, each is one line. Ends on \
                control-C, or after one snapshot with --once.
                """,
            schema: kafkaSchema.adding(schema).adding(parts.access?.schema ?? ConfigurationSchema([])),
            examples: [
                .init("sluicectl top", "Show the groups of an installation."),
                .init("sluicectl top --members 10.0.0.5:9464,10.0.0.6:9465", "Show two members and the groups."),
                .init(
                    "sluicectl top --once --output json | jq '.groups[] | select(.lagRecords > 1000)'",
                    "For scripts; exits with 1 unless everything is ready."),
            ]
        ) { context in
            let top = TopCommand(
                configuration: context.configuration, access: parts.access, clocks: context.clocks,
                timeout: context.timeout, interruption: context.interruptions(),
                pause: { try await Task.sleep(for: $0) })
            return try await top.run(context.console)
        }
    }
}
