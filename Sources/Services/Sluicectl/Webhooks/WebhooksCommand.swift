internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import HTTPClient
internal import JSON
internal import Kafka
internal import Lifecycle

/// The `sluicectl webhooks …` commands.
struct WebhooksCommand {
    let configuration: Configuration
    /// Timeout for the brokers' first response.
    let timeout: Duration

    func test(_ webhooks: SluicectlParts.Webhooks, _ console: Console) async throws -> ExitCode {
        try await print(webhooks.test(receiver(webhooks)), console)
    }

    func resend(_ id: String?, _ webhooks: SluicectlParts.Webhooks, _ console: Console) async throws -> ExitCode {
        let isFailed = configuration[OperationsSettings.deadLettered]
        guard isFailed != (id != nil) else {
            throw StartupError(
                isFailed ? "ID and --dead-lettered are mutually exclusive" : "missing: ID",
                fix: "Pass a webhook-id, or --dead-lettered --topic TOPIC", exitCode: .usage)
        }
        let topic = isFailed ? try deadLetterTopic() : nil
        let configuration = try receiver(webhooks)
        let kafka = try await readerConfiguration()
        if let topic { return try await resend(topic, webhooks, configuration, kafka, console) }
        return try await print(webhooks.resend(id ?? "", configuration, kafka), console)
    }

    /// Returns the selected receiver's configuration.
    private func receiver(_ webhooks: SluicectlParts.Webhooks) throws -> Configuration {
        do {
            return try webhooks.receiver(configuration[OperationsSettings.receiver], configuration)
        } catch let error as ConfigurationError {
            throw StartupError(
                error.description, fix: "Correct the setting, or specify a different --receiver",
                exitCode: .configuration)
        }
    }

    private func deadLetterTopic() throws(StartupError) -> KafkaTopic {
        guard let topic = configuration[OperationsSettings.deadLetterTopic], topic.hasSuffix(".dlq") else {
            throw StartupError(
                "no dead letter topic is set", setting: "--topic",
                fix: "Set --topic to a topic printed by sluicectl dlq list",
                exitCode: .usage)
        }
        return KafkaTopic(rawValue: topic)
    }

    private func resend(
        _ topic: KafkaTopic, _ webhooks: SluicectlParts.Webhooks, _ receiver: Configuration,
        _ kafka: KafkaConfiguration, _ console: Console
    ) async throws -> ExitCode {
        var counts = (accepted: 0, others: 0)
        try await webhooks.resendFailed(
            topic, configuration[OperationsSettings.deadLetteredFrom]?.millisecondsSince1970,
            configuration[OperationsSettings.rate], receiver, kafka
        ) { delivery in
            if delivery.isAccepted { counts.accepted += 1 } else { counts.others += 1 }
            _ = try await print(delivery, console)
        }
        if configuration[OperationsSettings.output] == .text {
            await console.write("\(counts.accepted) accepted, \(counts.others) not\n")
        }
        return counts.others == 0 ? .ok : .failure
    }

    private func readerConfiguration() async throws -> KafkaConfiguration {
        try await Brokers.connected(configuration, timeout) { _, kafka in kafka }
    }

    /// Prints the latest delivery attempts by a process, newest last.
    func attempts(_ console: Console) async throws -> ExitCode {
        let all = try await allAttempts()
        let wanted =
            configuration[OperationsSettings.failedOnly]
            ? all.filter { $0[OutputName.outcome]?.string != "accepted" } : all
        let latest = wanted.suffix(configuration[OperationsSettings.attemptLimit])
        let names = [
            OutputName.at, OutputName.outcome, OutputName.status, OutputName.milliseconds, OutputName.type,
            OutputName.id,
        ]
        let rows = latest.map { attempt in names.map { JSONCells.cell(attempt[$0]) } }
        await console.write(
            configuration,
            text: rows.isEmpty ? "none\n" : PlainText.table([["AT", "OUTCOME", "STATUS", "MS", "TYPE", "ID"]] + rows),
            json: [OutputName.attempts: .array(latest.map { .object($0) })])
        return .ok
    }

    /// Returns the latest delivery attempts by a process, oldest first.
    ///
    /// - Throws: a ``StartupError`` if the process's admin listener is unreachable.
    func allAttempts() async throws -> [JSONObject] {
        (try await answer()[OutputName.attempts]?.array ?? []).compactMap(\.object)
    }

    private func answer() async throws -> JSONObject {
        let setting = OperationsSettings.webhooksAdminURL
        let base = configuration[setting]
        let client = HTTPClient()
        defer { client.close() }
        let receiver = configuration[OperationsSettings.receiver].map { "/" + $0 } ?? ""
        let response: HTTPClientResponse
        do {
            response = try await client.send(
                HTTPClientRequest(
                    url: (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/webhooks/attempts" + receiver))
        } catch {
            throw StartupError(
                "sluice-webhooks is unreachable: \(error.message)", setting: setting.key,
                fix: "Start sluice-webhooks, or set \(setting.key) to the URL of its admin listener")
        }
        guard response.status != 404 || receiver.isEmpty else {
            throw StartupError(
                "\(base) has no receiver with this name", setting: "--receiver",
                fix: "Set --receiver to a name in its webhooks.receivers", exitCode: .usage)
        }
        guard response.status == 200, let answer = (try? JSONValue(json: response.body))?.object else {
            throw StartupError(
                "the server at \(base) is not sluice-webhooks (status \(response.status))", setting: setting.key,
                fix:
                    "Set \(setting.key) to the URL of the sluice-webhooks admin listener, and pass --receiver if "
                    + "there are several receivers"
            )
        }
        return answer
    }

    private func print(_ delivery: SluicectlParts.Delivery, _ console: Console) async throws -> ExitCode {
        await console.write(configuration, text: PlainText.printable(delivery.text) + "\n", json: delivery.json)
        return delivery.isAccepted ? .ok : .failure
    }
}

extension WebhooksCommand {
    init(_ context: CommandContext) {
        self.init(configuration: context.configuration, timeout: context.timeout)
    }
}
