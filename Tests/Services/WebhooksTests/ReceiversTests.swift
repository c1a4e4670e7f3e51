import Configuration
import HTTPClient
import Kafka
import Lifecycle
import PipelineRuntime
import PipelineTestSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Webhooks

/// Several receivers in one process.
@Suite(.timeLimit(.minutes(10))) struct ReceiversTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Returns flags of the receivers `crm` and `billing`, some of them changed; nil omits a flag.
    private func arguments(_ changes: [String: String?] = [:]) throws -> [String] {
        let secrets = try directory.write(TestKey.line(TestKey.first), to: "secrets")
        var flags = [
            "webhooks.receivers": "crm,billing", "webhooks.secret.file": secrets,
            "webhooks.receivers.crm.url": "https://crm.example.com/in",
            "webhooks.receivers.billing.url": "https://billing.example.com/in",
        ]
        for (key, value) in changes { flags[key] = value }
        return flags.sorted { $0.key < $1.key }.flatMap { ["--\($0.key)", $0.value] }
    }

    private func plans(_ changes: [String: String?] = [:]) throws -> [String: WebhooksConfiguration] {
        let configuration = try configuration(arguments(changes))
        let receivers = try WebhooksSettings.consumers(configuration)
        return Dictionary(
            uniqueKeysWithValues: try receivers.map {
                ($0.label?.value ?? "", try WebhooksConfiguration($0.configuration))
            })
    }

    // MARK: settings

    @Test func `a receiver has its own settings, and inherits the general ones`() throws {
        let plans = try plans([
            "webhooks.timeout": "7s", "webhooks.receivers.crm.timeout": "3s", "webhooks.types": "purchase",
            "webhooks.receivers.billing.types": "purchase.expired", "webhooks.receivers.crm.content": "notification",
        ])
        #expect(plans.keys.sorted() == ["billing", "crm"])
        #expect(plans["crm"]?.url == "https://crm.example.com/in")
        #expect(plans["billing"]?.url == "https://billing.example.com/in")
        #expect(plans["crm"]?.timeout == .seconds(3))
        #expect(plans["billing"]?.timeout == .seconds(7))
        #expect(plans["crm"]?.content == .notification)
        #expect(plans["billing"]?.content == .state)
        #expect(plans["crm"]?.filter == WebhookFilter(apps: [], types: ["purchase"]))
        #expect(plans["billing"]?.filter == WebhookFilter(apps: [], types: ["purchase.expired"]))
    }

    @Test func `each receiver has a consumer group named after it or configured`() throws {
        let configuration = try configuration(
            arguments(["webhooks.receivers.billing.group.id": "invoices"]))
        let readings = WebhooksSettings.reading(configuration)
        #expect(readings.map(\.group) == ["sluice-webhooks-crm", "invoices"])
        #expect(readings.map(\.topics) == [["appstore.entitlements.production"], ["appstore.entitlements.production"]])
    }

    @Test(
        arguments: [
            (["webhooks.receivers.crm.url": nil], "webhooks.receivers.crm.url is required"),
            (["webhooks.secret.file": nil], "webhooks.receivers.crm.secret.file is required"),
            (["webhooks.url": "https://a.example.com"], "set webhooks.receivers.<receiver>.url for each"),
            (["webhooks.group.id": "one"], "set webhooks.receivers.<receiver>.group.id for each"),
            (["webhooks.receivers": "crm,billing,crm"], "crm is listed twice"),
            (["webhooks.receivers.billing.group.id": "sluice-webhooks-crm"], "crm and billing have the same group"),
            (["webhooks.receivers.crm.url": "http://crm.example.com"], "webhooks.receivers.crm.url"),
        ] as [([String: String?], String)])
    func `incomplete or ambiguous receivers are refused with their key`(
        _ changes: [String: String?], _ mention: String
    ) throws {
        let error = #expect(throws: ConfigurationError.self) { try plans(changes) }
        #expect(error?.description.contains(mention) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        (["webhooks.receivers.erp.url": "https://erp.example.com"], "webhooks.receivers does not list"),
        (["webhooks.receivers": "crm,a b"], "must be a name of at most 32 letters, digits and hyphens, such as crm"),
        (["webhooks.receivers.crm.urls": "https://erp.example.com"], "webhooks.receivers.crm.url"),
    ])
    func `an invalid name or key is refused with the correct one`(_ changes: [String: String], _ mention: String) throws
    {
        let arguments = try arguments(changes)
        let refusal = #expect(throws: Refusal.self) { try configuration(arguments) }
        #expect(refusal?.lines.contains { $0.contains(mention) } == true, "\(refusal?.description ?? "")")
    }

    @Test func `a command for one receiver requires its name when there are several`() throws {
        let configuration = try configuration(arguments())
        #expect(
            try WebhooksSettings.receiver("billing", configuration)[WebhooksSettings.url]
                == "https://billing.example.com/in")
        #expect(throws: ConfigurationError.self) { try WebhooksSettings.receiver(nil, configuration) }
        #expect(throws: ConfigurationError.self) { try WebhooksSettings.receiver("erp", configuration) }
    }

    // MARK: deliveries

    private func installation(
        _ receivers: [String: Receiver], _ settings: [String: String] = [:]
    ) async throws -> (Installation, [String]) {
        let installation = try await Installation(receivers: ["crm", "billing"])
        let secrets = try installation.directory.write(TestKey.line(TestKey.first), to: "secrets")
        var arguments = [
            "--kafka.bootstrap.servers", installation.kafka.bootstrapServers, "--topics.prefix",
            installation.topics.prefix, "--profile", "single-node", "--admin.port", "0",
            "--data.dir", installation.directory.path, "--webhooks.secret.file", secrets,
            "--webhooks.receivers", receivers.keys.sorted().joined(separator: ","),
        ]
        for (name, receiver) in receivers { arguments += ["--webhooks.receivers.\(name).url", receiver.url] }
        for (key, value) in settings { arguments += ["--\(key)", value] }
        return (installation, arguments)
    }

    @Test func `a receiver that is down does not delay others, and gets all states after its return`() async throws {
        let port = try await Receiver.closedPort()
        let crm = try Receiver()
        let (installation, arguments) = try await installation(
            ["crm": crm], ["webhooks.receivers.billing.url": "http://127.0.0.1:\(port)/hook"])
        try await installation.write(states: 40, keys: 40)
        let webhooks = try await RunningWebhooks(
            arguments.map { $0 == "crm" ? "crm,billing" : $0 })
        try await waitUntil {
            webhooks.metric(#"sluice_webhooks_attempts_total{outcome="accepted",receiver="crm"}"#) == 40
        }
        #expect(crm.accepted.count == 40)
        #expect(webhooks.metric(#"sluice_webhooks_attempts_total{outcome="accepted",receiver="billing"}"#) == 0)
        let billing = try Receiver(port: port)
        try await waitUntil(within: .seconds(60)) { billing.accepted.count == 40 }
        #expect(await webhooks.stop() == .ok)
        #expect(crm.deliveries.count == 40)
        #expect(webhooks.log.lines.contains { $0.contains(#""receiver":"billing""#) && $0.contains("not delivered") })
    }

    @Test func `each receiver receives its own types, signed with its own key`() async throws {
        let (crm, billing) = (try Receiver(), try Receiver())
        let (installation, arguments) = try await installation(
            ["crm": crm, "billing": billing], ["webhooks.receivers.billing.types": "purchase.erased"])
        let secrets = try installation.directory.write(TestKey.line(TestKey.second), to: "billing")
        try await installation.write(states: 10, keys: 10)
        try await installation.write([
            KafkaProducerRecord(topic: installation.production, key: TestState.key("gone"), value: nil)
        ])
        let webhooks = try await RunningWebhooks(arguments + ["--webhooks.receivers.billing.secret.file", secrets])
        try await waitUntil { crm.accepted.count == 11 && billing.accepted.count == 1 }
        #expect(await webhooks.stop() == .ok)
        #expect(billing.deliveries.count == 1)
        #expect(
            billing.deliveries.allSatisfy { $0.isSigned(with: TestKey.second) && !$0.isSigned(with: TestKey.first) })
        #expect(crm.deliveries.allSatisfy { $0.isSigned(with: TestKey.first) })
    }

    @Test func `a paused receiver receives nothing, and later continues from its offset`() async throws {
        let (crm, billing) = (try Receiver(), try Receiver())
        let (installation, arguments) = try await installation(["crm": crm, "billing": billing])
        try await installation.write(states: 10, keys: 10)
        let before = try await RunningWebhooks(arguments)
        try await waitUntil { crm.accepted.count == 10 && billing.accepted.count == 10 }
        #expect(await before.stop() == .ok)

        try await installation.write(states: 20, keys: 20)
        let paused = try await RunningWebhooks(arguments + ["--webhooks.receivers.billing.paused", "true"])
        // The first ten repeat earlier states with the same content.
        try await waitUntil { crm.accepted.count == 30 }
        #expect(paused.metric(#"sluice_webhooks_paused{receiver="billing"}"#) == 1)
        #expect(paused.metric(#"sluice_webhooks_paused{receiver="crm"}"#) == 0)
        #expect(await paused.stop() == .ok)
        #expect(billing.deliveries.count == 10)

        let after = try await RunningWebhooks(arguments)
        try await waitUntil { billing.accepted.count == 30 }
        #expect(await after.stop() == .ok)
        #expect(crm.deliveries.count == 30)
    }

    @Test func `a receiver that an operator pauses receives nothing, and the others continue`() async throws {
        let (crm, billing) = (try Receiver(), try Receiver())
        let (installation, arguments) = try await installation(["crm": crm, "billing": billing])
        func write(_ state: String) async throws {
            let value = #"{"version":1,"state":"\#(state)","reason":"r","author":"ann","at":"2026-11-27T09:00:00Z"}"#
            try await installation.write([
                KafkaProducerRecord(
                    topic: installation.topics.control, key: Array("sluice-webhooks-billing".utf8),
                    value: Array(value.utf8))
            ])
        }
        try await write("paused")
        try await installation.write(states: 10, keys: 10)
        let webhooks = try await RunningWebhooks(arguments)
        try await waitUntil { crm.accepted.count == 10 }
        let lag = { (partition: Int) in
            webhooks.metric(#"sluice_consumer_lag_records{partition="\#(partition)",receiver="billing""#)
        }
        try await waitUntil { lag(0) + lag(1) == 10 }
        #expect(billing.deliveries.isEmpty)
        #expect(webhooks.metric(#"sluice_consumer_paused{group="sluice-webhooks-billing""#) == 1)
        #expect(webhooks.metric(#"sluice_consumer_paused{group="sluice-webhooks-crm""#) == 0)
        #expect(
            webhooks.log.lines.contains { $0.contains("group paused") && $0.contains(#""receiver":"billing""#) })

        try await write("running")
        try await waitUntil { billing.accepted.count == 10 }
        #expect(await webhooks.stop() == .ok)
        #expect(billing.deliveries.count == 10 && crm.deliveries.count == 10)
    }

    @Test func `the admin listener shows the attempts of each receiver`() async throws {
        let crm = try Receiver()
        let billing = try Receiver { _, _ in .status(429, [("Retry-After", "60")]) }
        let (installation, arguments) = try await installation(["crm": crm, "billing": billing])
        try await installation.write(states: 1, keys: 1)
        let webhooks = try await RunningWebhooks(arguments)
        try await waitUntil { crm.accepted.count == 1 && billing.deliveries.count == 1 }
        try await waitUntil { try await page("/webhooks/attempts/billing", webhooks).contains("throttled") }
        try await waitUntil { try await page("/webhooks/attempts/crm", webhooks).contains(#""outcome":"accepted""#) }
        #expect(try await !page("/webhooks/attempts", webhooks).contains("outcome"))
        #expect(await webhooks.stop() == .ok)
    }

    private func page(_ path: String, _ webhooks: RunningWebhooks) async throws -> String {
        let port = try #require(webhooks.adminPort)
        let client = HTTPClient()
        defer { client.close() }
        let response = try await client.send(HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)"))
        return String(decoding: response.body, as: UTF8.self)
    }
}
