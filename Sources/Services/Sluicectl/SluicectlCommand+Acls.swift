internal import CommandLine
internal import Configuration
internal import KeyedState
internal import ServiceKit

/// The command line of `sluicectl topics acls`.
extension SluicectlCommand {
    /// Returns the commands, or none if the executables' access settings are not available.
    static func acls(_ parts: SluicectlParts) -> [Command] {
        guard let access = parts.access else { return [] }
        let own = ConfigurationSchema(
            [
                AccessSettings.executable, AccessSettings.principal, AccessSettings.format, StateSettings.role,
            ] + OperationsSettings.clusterGroups.map(\.setting))
        return [
            Command(
                "acls", summary: "Print the minimum Kafka ACLs for each executable.",
                discussion: """
                    Reads the executables' configuration (prefix, groups, webhook content, state role, stories); no \
                    broker is contacted and nothing is changed. The commands are for Kafka administrators. With \
                    --principal and --for all, one principal gets the rights of all executables.
                    """,
                schema: kafkaSchema.adding(own).adding(access.schema),
                examples: [
                    .init("sluicectl topics acls", "Print a table for each executable."),
                    .init(
                        "sluicectl topics acls --for sluice-ingress --principal User:ingress --format kafka-acls",
                        "Print commands for Kafka's own tool."),
                    .init(
                        "sluicectl topics acls --for sluice-archive --format strimzi",
                        "Print ACLs for a Strimzi KafkaUser."),
                    .init(
                        "sluicectl topics acls --for sluice-entitlements --state.role reader",
                        "A reader joins no group and writes no dead letters."),
                    .init(
                        "sluicectl topics acls --for sluice-entitlements --entitlements.stories true",
                        "Include the permissions for /v1/story."),
                    .init("sluicectl topics acls --config sluice.properties --output json", "For scripts."),
                ]
            ) { try await AclsCommand(configuration: $0.configuration, access: access).run($0.console) }
        ]
    }
}
