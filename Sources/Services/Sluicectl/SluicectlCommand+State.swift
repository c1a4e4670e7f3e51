internal import CommandLine
internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl state`.
extension SluicectlCommand {
    static let state = Command(
        "state", summary: "Change the number of partitions of a consumer group's state topic.",
        examples: [
            .init(
                "sluicectl state rekey --topic appstore.refunds.sandbox --to-topic appstore2.refunds.sandbox",
                "Print what would be copied.")
        ],
        subcommands: [rekey], readsConfiguration: false)

    private static let rekey = Command(
        "rekey", summary: "Copy a state topic by key to a topic with a different number of partitions.",
        discussion: """
            Both topics must exist. The target must be compacted, and may contain only an earlier copy. Every record \
            is copied byte for byte to the partition of its key, and a key's records keep their order; offsets in \
            proposals are adjusted to keep the order of proposals. Then both topics are compared by key. Without \
            --yes, prints the plan and exits with 1. The command can be repeated: existing copies are not copied \
            again. It is refused while the group has members. Any compacted topic with keys can be copied, such as \
            appstore.certificates.
            """,
        schema: kafkaSchema.adding(
            ConfigurationSchema(
                [
                    OperationsSettings.stateSource, OperationsSettings.stateTarget, OperationsSettings.stateGroup,
                    OperationsSettings.despiteUnread, OperationsSettings.yes,
                ] + OperationsSettings.clusterGroups.map(\.setting))),
        examples: [
            .init(
                """
                sluicectl state rekey --topic appstore.entitlements.production --to-topic \
                appstore2.entitlements.production --yes
                """,
                "Copy to a different topics.prefix, for topics created with --partitions 24."),
            .init(
                """
                sluicectl state rekey --topic inbox.state --to-topic inbox.state.copy --group inbox --output json
                """,
                "Copy your own consumer's state, with JSON output."),
        ], readsConfiguration: true
    ) { try await RekeyCommand(configuration: $0.configuration, timeout: $0.timeout).run($0.console) }
}
