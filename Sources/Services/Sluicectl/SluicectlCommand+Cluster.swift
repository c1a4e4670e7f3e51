internal import CommandLine
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

    /// Returns the commands, or none if the executables' access settings are not available.
    static func cluster(_ parts: SluicectlParts) -> [Command] {
        guard let access = parts.access else { return [] }
        return [cluster(access, parts)]
    }

    private static func cluster(_ access: SluicectlParts.Access, _ parts: SluicectlParts) -> Command {
        let schema = clusterSchema.adding(access.schema)
        return Command(
            "cluster", summary: "Move an installation to copies of its topics on another cluster.",
            examples: [
                .init(
                    "sluicectl cluster prepare --source old.properties",
                    "Check that all topics are copied correctly.")
            ],
            subcommands: [
                Command(
                    "prepare", summary: "Check whether the installation can move to another cluster.",
                    discussion: """
                        The configuration specifies the new cluster. Checks its topics, settings, copied records and \
                        groups, and changes nothing. With --source, a properties file with the kafka settings of the \
                        old cluster, compares both: partition counts, and the last record of each partition. Exits \
                        with 1 if the new cluster is not ready.
                        """,
                    schema: schema,
                    examples: [
                        .init("sluicectl cluster prepare", "Check only the copies, if their source is lost."),
                        .init(
                            "sluicectl cluster prepare --config new.properties --source old.properties --output json",
                            "A daily check."),
                    ]
                ) { try await ClusterCommand($0, access, parts).prepare($0.console) },
                Command(
                    "switch", summary: "Set the consumer groups' offsets on the new cluster.",
                    discussion: """
                        The configuration specifies the new cluster. Each group with offsets there is reset to the \
                        beginning, because offsets and states are copied independently; no state is lost or changed. \
                        Without --yes, prints the changes and exits with 1. The command is refused while a group has \
                        members on either cluster, or while prepare finds a problem.
                        """,
                    schema: schema.adding(
                        ConfigurationSchema([
                            OperationsSettings.yes, OperationsSettings.deliveredUntil,
                            OperationsSettings.despiteProblems,
                        ])),
                    examples: [
                        .init(
                            "sluicectl cluster switch --source old.properties", "Print where each group would resume."),
                        .init("sluicectl cluster switch --yes", "Switch after the loss of the source."),
                        .init(
                            "sluicectl cluster switch --yes --webhooks-from 2026-11-21T12:00:00Z",
                            "Webhooks were delivered up to this time; delivery resumes ten minutes before it."
                        ),
                    ]
                ) { try await ClusterCommand($0, access, parts).switchOver($0.console) },
            ], readsConfiguration: false)
    }
}
