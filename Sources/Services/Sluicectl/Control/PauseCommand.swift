internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Primitives

/// `sluicectl pause`, `resume` and `pauses`: pause and resume record handling by a consumer group, and list the paused
/// groups.
struct PauseCommand {
    let configuration: Configuration
    let access: SluicectlParts.Access?
    let webhooks: SluicectlParts.Webhooks?
    let clocks: Clocks
    /// Timeout for the brokers' first response.
    let timeout: Duration

    func pause(_ name: String, _ console: Console) async throws -> ExitCode {
        guard configuration[ControlSettings.reason]?.contains(where: { !$0.isWhitespace }) == true else {
            throw StartupError("a reason is required", setting: "--reason", fix: "Set --reason TEXT", exitCode: .usage)
        }
        let record = try record(.paused)
        return try await withTopic { topic in
            let group = try await resolve(name, topic)
            // Read first, to verify that the topic exists before reporting success.
            _ = try await topic.read()
            try await topic.write(record, for: group.group)
            await report(
                group.group, record,
                "\(text(group.group)) is paused: records in progress finish, and the others wait in Kafka. Continue "
                    + "with: sluicectl resume \(text(group.group))",
                warning: group.warning, console)
            return .ok
        }
    }

    func resume(_ name: String, _ console: Console) async throws -> ExitCode {
        let record = try record(.running)
        return try await withTopic { topic in
            let table = try await topic.read().table
            let group = try await resolve(name, topic, paused: table)
            guard table.pause(of: group.group) != nil else {
                await report(group.group, nil, "\(text(group.group)) is not paused", warning: nil, console)
                return .ok
            }
            try await topic.write(record, for: group.group)
            await report(
                group.group, record, "\(text(group.group)) continues where it stopped", warning: nil, console)
            return .ok
        }
    }

    func list(_ console: Console) async throws -> ExitCode {
        let content = try await withTopic { try await $0.read() }
        if !content.ignored.isEmpty {
            let offsets = content.ignored.map { "\($0)" }.joined(separator: ", ")
            console.complain("sluicectl: ignored invalid records at offsets \(offsets)")
        }
        let paused = content.table.records.filter { $0.value.state == .paused }
            .sorted { $0.key.rawValue < $1.key.rawValue }
        let rows = paused.map { group, record in
            [
                text(group), RFC3339.text(milliseconds: record.atMilliseconds), PlainText.printable(record.author),
                PlainText.printable(record.reason),
            ]
        }
        await console.write(
            configuration,
            text: paused.isEmpty
                ? "no group is paused\n" : PlainText.table([["GROUP", "SINCE", "AUTHOR", "REASON"]] + rows),
            json: [OutputName.pauses: .array(paused.map { .object(Self.json($0.key, $0.value)) })])
        return .ok
    }

    // MARK: Private details

    private func text(_ group: KafkaConsumerGroup) -> String { PlainText.printable(group.rawValue) }

    private func record(_ state: ControlRecord.State) throws(StartupError) -> ControlRecord {
        let author = try OperatorName.resolve(configuration[ControlSettings.author]) {
            "an author is required; the name is shown with the pause"
        }
        let reason = configuration[ControlSettings.reason] ?? ""
        for (setting, text) in [("--author", author), ("--reason", reason)] where !ControlRecord.isText(text) {
            throw StartupError(
                "must be one line of at most \(ControlRecord.maximumTextBytes) bytes", setting: setting,
                fix: "Shorten it",
                exitCode: .usage)
        }
        guard
            let record = ControlRecord(
                state: state, reason: reason, author: author, atMilliseconds: clocks.wallMilliseconds())
        else {
            throw StartupError("the system clock shows an invalid time", fix: "Set the clock")
        }
        return record
    }

    private func withTopic<Result: Sendable>(_ body: (ControlTopic) async throws -> Result) async throws -> Result {
        return try await Brokers.connected(configuration, timeout) { admin, kafka in
            return try await body(ControlTopic(configuration, admin, kafka))
        }
    }

    /// - Parameter paused: the records in effect, or nil if they were not read. A group with a record is known to
    ///   exist, so Kafka is not queried.
    private func resolve(
        _ name: String, _ topic: ControlTopic, paused: ControlTable? = nil
    ) async throws -> ControlledGroup {
        let groups = ControlledGroups(configuration: configuration, access: access, webhooks: webhooks)
        return try await groups.resolve(name) { group in
            if paused?.records[group] != nil { return true }
            // The embedded broker does not list groups.
            if topic.kafka.profile == .embedded { return true }
            return try await topic.admin.consumerGroups().contains { $0.group == group }
        }
    }

    private func report(
        _ group: KafkaConsumerGroup, _ record: ControlRecord?, _ text: String, warning: String?, _ console: Console
    ) async {
        if let warning { console.complain("sluicectl: warning: \(warning)") }
        let state = JSONValue.string(ControlRecord.State.running.rawValue)
        var object =
            record.map { Self.json(group, $0) }
            ?? [OutputName.group: .string(group.rawValue), OutputName.state: state]
        object[OutputName.warning] = warning.map { .string($0) }
        await console.write(configuration, text: text + "\n", json: object)
    }

    private static func json(_ group: KafkaConsumerGroup, _ record: ControlRecord) -> JSONObject {
        var object: JSONObject = [
            OutputName.group: .string(group.rawValue), OutputName.state: .string(record.state.rawValue),
            OutputName.at: .string(RFC3339.text(milliseconds: record.atMilliseconds)),
            OutputName.author: .string(record.author),
        ]
        if !record.reason.isEmpty { object[OutputName.reason] = .string(record.reason) }
        return object
    }
}

extension PauseCommand {
    init(_ context: CommandContext, _ parts: SluicectlParts) {
        self.init(
            configuration: context.configuration, access: parts.access, webhooks: parts.webhooks,
            clocks: context.clocks, timeout: context.timeout)
    }
}
