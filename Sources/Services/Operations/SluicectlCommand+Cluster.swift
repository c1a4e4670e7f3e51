internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl cluster`.
extension SluicectlCommand {
    private static let clusterSchema = ConfigurationSchema(
        [
            ApplicationSettings.bootstrapServers, OperationsSettings.topicsPrefix, OperationsSettings.output,
            ApplicationSettings.profile, ApplicationSettings.durability, OperationsSettings.topicsPartitions,
            OperationsSettings.partitions,
            OperationsSettings.replicationFactor, OperationsSettings.groups, OperationsSettings.clusterSource,
        ] + OperationsSettings.clusterGroups.map(\.setting), openPrefixes: [ApplicationSettings.kafka])

    /// Returns no command without the settings of the executables.
    static func cluster(_ parts: SluicectlParts) -> [Command] {
        guard let access = parts.access else { return [] }
        return [cluster(clusterSchema.adding(access.schema))]
    }

    private static func cluster(_ schema: ConfigurationSchema) -> Command {
        Command(
            "cluster", summary: "Move an installation to copies of its topics on another cluster.",
            examples: [
                .init(
                    "sluicectl cluster prepare --source old.properties",
                    "Whether everything is copied, and as it must be.")
            ],
            subcommands: [
                Command(
                    "prepare", summary: "Check whether the installation could go on with a cluster.",
                    discussion: """
                        The configuration names the cluster that is moved to. Looks at topics, settings, copied records and \
                        groups there, and changes nothing. With --source, a properties file with the kafka settings of the \
                        cluster that is left, both are compared: partition counts, and the last record of each partition. \
                        Exits with 1 when it is not ready.
                        """,
                    schema: schema,
                    examples: [
                        .init("sluicectl cluster prepare", "The copies alone, when their source is lost."),
                        .init(
                            "sluicectl cluster prepare --config new.properties --source old.properties --output json",
                            "For a check that runs each day."),
                    ]),
                Command(
                    "switch", summary: "Set the consumer groups to where they must read on.",
                    discussion: """
                        The configuration names the cluster that is moved to. Each group that has offsets there reads from \
                        the beginning, because offsets and states are copied independently; nothing that is known is lost or \
                        changed by it. Prints what it would do and exits with 1; --yes does it. It is refused while a group \
                        has members on either cluster, and while prepare finds a problem.
                        """,
                    schema: schema.adding(
                        ConfigurationSchema([
                            OperationsSettings.yes, OperationsSettings.deliveredUntil,
                            OperationsSettings.despiteProblems,
                        ])),
                    examples: [
                        .init(
                            "sluicectl cluster switch --source old.properties", "Print where each group would read on."),
                        .init("sluicectl cluster switch --yes", "The source is lost."),
                        .init(
                            "sluicectl cluster switch --yes --webhooks-from 2026-11-21T12:00:00Z",
                            "Webhooks were delivered up to then; those of ten minutes more are posted again."),
                    ]),
            ], readsConfiguration: false)
    }
}
