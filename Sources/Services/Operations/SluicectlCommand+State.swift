internal import Configuration
internal import ServiceKit

/// The command line of `sluicectl state`.
extension SluicectlCommand {
    static let state = Command(
        "state", summary: "Give the state of a consumer group another number of partitions.",
        examples: [
            .init(
                "sluicectl state rekey --topic appstore.refunds.sandbox --to-topic appstore2.refunds.sandbox",
                "What would be copied.")
        ],
        subcommands: [rekey], readsConfiguration: false)

    private static let rekey = Command(
        "rekey", summary: "Copy a state topic by key to a topic with a different number of partitions.",
        discussion: """
            Both topics exist; the one that is copied to is compacted and has nothing but an earlier copy. Every record \
            goes to the partition of its key, byte for byte, in the order that its key's records have; offsets of \
            proposals are moved so that their order stays. Then both are compared, key by key. Prints what it would do \
            and exits with 1; --yes does it. It may be repeated: what is there is not copied again. It is refused while \
            the group has members. Any compacted topic with keys can be copied, such as appstore.certificates.
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
                "To another topics.prefix, whose topics were created with --partitions 24."),
            .init(
                """
                sluicectl state rekey --topic inbox.state --to-topic inbox.state.copy --group inbox --output json
                """,
                "The state of a consumer of your own, for scripts."),
        ], readsConfiguration: true)
}
