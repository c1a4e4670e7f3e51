internal import CommandLine
internal import Configuration
internal import ServiceKit

/// The command lines of `sluicectl pause`, `resume` and `pauses`.
extension SluicectlCommand {
    static func control(_ parts: SluicectlParts) -> [Command] {
        let schema = kafkaSchema.adding(
            ConfigurationSchema(
                [ControlSettings.reason, ControlSettings.author, ControlSettings.new, OperationsSettings.receiver]
                    + OperationsSettings.clusterGroups.map(\.setting))
        ).adding(parts.access?.schema ?? ConfigurationSchema([])).adding(
            parts.webhooks?.schema ?? ConfigurationSchema([]))
        return [pause(schema, parts), resume(schema, parts), pauses(parts)]
    }

    private static let group = Command.Argument(
        "GROUP", help: "consumer group, or the executable, such as sluice-refunds")

    private static func pause(_ schema: ConfigurationSchema, _ parts: SluicectlParts) -> Command {
        Command(
            "pause", summary: "Pause a consumer group, or one webhook receiver.",
            discussion: """
                The members stay in the group, keep their partitions and offsets, and answer reads. Records in \
                progress finish; no others are handled until sluicectl resume, even after a restart. The ingress \
                continues to accept notifications. The pause is a record in the …control topic, with reason and \
                author, and is shown by sluicectl pauses, sluicectl top, /readyz, the log and the metric \
                sluice_consumer_paused. While the sluice-refunds group is paused, Apple's requests are not answered, \
                but their deadlines still apply.
                """,
            schema: schema, arguments: [group],
            examples: [
                .init(
                    "sluicectl pause sluice-refunds --reason 'the consent service returns wrong answers' --author ann",
                    "Send no answers until the service is fixed."),
                .init(
                    "sluicectl pause sluice-webhooks --receiver crm --reason 'CRM migration'",
                    "Pause one of webhooks.receivers; the others continue."),
                .init("sluicectl pause inbox --reason 'disk is full'", "Pause your own consumer's group."),
            ]
        ) { try await PauseCommand($0, parts).pause($0.argument, $0.console) }
    }

    private static func resume(_ schema: ConfigurationSchema, _ parts: SluicectlParts) -> Command {
        Command(
            "resume", summary: "Resume a paused consumer group, or one webhook receiver.",
            discussion: "The group continues at the first record that it has not handled.",
            schema: schema, arguments: [group],
            examples: [
                .init("sluicectl resume sluice-refunds --reason 'the service is fixed' --author ann", "Continue."),
                .init("sluicectl resume sluice-webhooks --receiver crm", "One receiver."),
            ]
        ) { try await PauseCommand($0, parts).resume($0.argument, $0.console) }
    }

    private static func pauses(_ parts: SluicectlParts) -> Command {
        Command(
            "pauses", summary: "List the paused consumer groups, with reason and author.", schema: kafkaSchema,
            examples: [
                .init("sluicectl pauses", "A table."), .init("sluicectl pauses --output json", "For scripts."),
            ]
        ) { try await PauseCommand($0, parts).list($0.console) }
    }
}
