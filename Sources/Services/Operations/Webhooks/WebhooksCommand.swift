internal import Configuration
internal import HTTPClient
internal import JSON
internal import Kafka
internal import Lifecycle

/// `sluicectl webhooks …`.
struct WebhooksCommand {
    let configuration: Configuration
    /// Timeout for the brokers' first answer.
    let timeout: Duration

    func test(_ webhooks: SluicectlParts.Webhooks, _ console: Console) async throws -> ExitCode {
        try await print(webhooks.test(configuration), console)
    }

    func resend(_ id: String, _ webhooks: SluicectlParts.Webhooks, _ console: Console) async throws -> ExitCode {
        let brokers = try Brokers(configuration, timeout: timeout)
        let isEmbedded = try await brokers.admin().closing { try await brokers.isEmbedded($0) }
        let kafka = try brokers.readerConfiguration(isEmbedded: isEmbedded)
        return try await print(webhooks.resend(id, configuration, kafka), console)
    }

    /// The latest attempts of a process, the newest last.
    func attempts(_ console: Console) async throws -> ExitCode {
        let answer = try await answer()
        let all = (answer[OutputName.attempts]?.array ?? []).compactMap(\.object)
        let wanted =
            configuration[OperationsSettings.failedOnly]
            ? all.filter { $0[OutputName.outcome]?.string != "accepted" } : all
        let latest = wanted.suffix(configuration[OperationsSettings.attemptCount])
        switch configuration[OperationsSettings.output] {
        case .json:
            let attempts = JSONValue.array(latest.map { .object($0) })
            await console.write(line: JSONValue.object([OutputName.attempts: attempts]).json)
        case .text:
            let names = [
                OutputName.at, OutputName.outcome, OutputName.status, OutputName.milliseconds, OutputName.type,
                OutputName.id,
            ]
            await console.write(
                latest.isEmpty
                    ? "none\n"
                    : PlainText.table(
                        [["AT", "OUTCOME", "STATUS", "MS", "TYPE", "ID"]]
                            + latest.map { attempt in names.map { JSONCells.cell(attempt[$0]) } }))
        }
        return .ok
    }

    private func answer() async throws -> JSONObject {
        let setting = OperationsSettings.webhooksAdminURL
        let base = configuration[setting]
        let client = HTTPClient()
        defer { client.close() }
        let response: HTTPClientResponse
        do {
            response = try await client.send(
                HTTPClientRequest(url: (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/webhooks/attempts"))
        } catch {
            throw StartupError(
                "sluice-webhooks does not answer: \(error.message)", setting: setting.key,
                fix: "Start sluice-webhooks, or set \(setting.key) to its admin listener")
        }
        guard response.status == 200, let answer = (try? JSONValue(json: response.body))?.object else {
            throw StartupError(
                "the answer of \(base) is not one of sluice-webhooks (status \(response.status))", setting: setting.key,
                fix: "Set \(setting.key) to the admin listener of sluice-webhooks")
        }
        return answer
    }

    private func print(_ delivery: SluicectlParts.Delivery, _ console: Console) async throws -> ExitCode {
        switch configuration[OperationsSettings.output] {
        case .json: await console.write(line: delivery.json)
        case .text: await console.write(PlainText.printable(delivery.text) + "\n")
        }
        return delivery.isAccepted ? .ok : .failure
    }
}
