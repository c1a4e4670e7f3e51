internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Records

/// The consumer group that a command pauses or resumes.
struct ControlledGroup: Equatable {
    let group: KafkaConsumerGroup
    /// This installation's executable, or nil for another consumer's group.
    let executable: String?

    /// A note about the limits of pausing this group, or nil if there is nothing to note.
    var warning: String? {
        switch executable {
        case "sluice-refunds":
            "Apple's deadlines still apply: a request not answered within 12 hours of receipt misses its deadline. "
                + "List the waiting requests with: sluicectl refunds due"
        case nil:
            "\(PlainText.printable(group.rawValue)) is not a group of Sluice's executables; it pauses only if its "
                + "consumer reads the control topic"
        default: nil
        }
    }
}

/// Resolves the name of a group, or of an executable whose group has a different name.
struct ControlledGroups {
    let configuration: Configuration
    let access: SluicectlParts.Access?
    let webhooks: SluicectlParts.Webhooks?

    /// Returns the group named by the arguments.
    ///
    /// - Parameter isKnown: returns whether a group exists in Kafka; called only for other consumers' groups.
    /// - Throws: a ``StartupError`` if the group is unknown or ambiguous.
    func resolve(
        _ name: String, isKnown: (KafkaConsumerGroup) async throws -> Bool
    ) async throws -> ControlledGroup {
        if name == TopicNames.webhooksGroup || configuration[OperationsSettings.receiver] != nil {
            return try receiver(name)
        }
        let own = own
        if let match = own.first(where: { $0.executable == name }) ?? own.first(where: { $0.group.rawValue == name }) {
            return match
        }
        let group = KafkaConsumerGroup(rawValue: name)
        var isAccepted = configuration[ControlSettings.new]
        if !isAccepted { isAccepted = try await isKnown(group) }
        guard isAccepted else {
            throw StartupError(
                "Kafka has no consumer group \(PlainText.printable(name)); this installation's groups are "
                    + own.map(\.group.rawValue).sorted().joined(separator: ", "),
                fix: "Correct the name, or pass --new for a group that has not started yet", exitCode: .usage)
        }
        return ControlledGroup(group: group, executable: nil)
    }

    /// The groups of this installation's executables.
    private var own: [ControlledGroup] {
        let names = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
        return ClusterGroup.all(names, configuration, access?.options(configuration)).map {
            ControlledGroup(group: $0.group, executable: $0.executable)
        }
    }

    /// Returns a webhook receiver's group. Each receiver has a separate group.
    private func receiver(_ name: String) throws(StartupError) -> ControlledGroup {
        let executable = TopicNames.webhooksGroup
        guard name == executable else {
            throw StartupError(
                "\(PlainText.printable(name)) has no receivers", setting: "--receiver",
                fix: "Omit it, or pass \(executable) as GROUP", exitCode: .usage)
        }
        guard let webhooks else {
            throw StartupError(
                "this sluicectl was built without webhooks", fix: "Pass the name of the receiver's group as GROUP")
        }
        do {
            let own = try webhooks.receiver(configuration[OperationsSettings.receiver], configuration)
            return ControlledGroup(
                group: KafkaConsumerGroup(rawValue: own[ConsumerSettings.group(of: executable)]),
                executable: executable)
        } catch {
            throw StartupError(
                "\(error)", fix: "Pass --receiver with one of the names in webhooks.receivers", exitCode: .usage)
        }
    }
}
