import AppStoreModel
import JSON
import JSONTestSupport
import Kafka
import Lifecycle
import OperatorEvents
import PipelineTestSupport
import Records
import TestSupport
import Testing

@testable import Webhooks

/// `webhooks.content=operations`, with records as the members publish them.
@Suite(.timeLimit(.minutes(5))) struct OperatorEventContentTests {
    private static let member = OperatorEventMember(
        executable: "sluice-ingress", instance: "ingress-1:7", release: "0.2.0")
    private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"

    private func produced(
        _ type: OperatorEventType = .memberStarted, id: String = id,
        data: KeyValuePairs<String, OperatorEventValue?> = [:], to topic: KafkaTopic = "appstore.operations"
    ) -> KafkaProducerRecord {
        OperatorEvent(type, data: data, id: id, atMilliseconds: 1_795_770_000_000)
            .produced(to: topic, from: Self.member)
    }

    private func message(_ value: [UInt8]?) throws -> WebhookMessage {
        let record = KafkaRecord(topic: "appstore.operations", partition: 0, offset: 3, key: nil, value: value)
        return try MessageReading(.operations, TopicNames(), certificates: CertificateDirectory()).message(record)
    }

    @Test func `a message has the type and time of the event, and the event as its data`() throws {
        let value = try #require(produced().value)
        let message = try message(value)
        #expect(message.type == "dev.sluice.member.started")
        #expect(message.id == "operations-\(Self.id)")
        #expect(message.bundleId == nil)
        let object = try #require(try JSONValue(json: message.body).object)
        #expect(object["type"] == "dev.sluice.member.started")
        #expect(object["timestamp"] == "2026-11-27T09:00:00.000Z")
        let data = try #require(object["data"])
        #expect(try JSONSchema.deployed("operator-event.schema.json").faults(in: data.json) == [])
        #expect(data.json == value)
    }

    @Test func `an event about an app is for the receivers of this app`() throws {
        let value = try #require(produced(data: ["bundleId": .text("com.example.app")]).value)
        let message = try message(value)
        #expect(message.bundleId == BundleId("com.example.app"))
        #expect(WebhookFilter(apps: ["com.example.app"], types: []).refusal(message) == nil)
        #expect(WebhookFilter(apps: ["com.example.other"], types: []).refusal(message) == "other_app")
    }

    @Test func `an event about no app is for every receiver, and types select events`() throws {
        let message = try message(produced().value)
        #expect(WebhookFilter(apps: ["com.example.app"], types: []).refusal(message) == nil)
        #expect(WebhookFilter(apps: [], types: ["dev.sluice.member"]).refusal(message) == nil)
        #expect(WebhookFilter(apps: [], types: ["dev.sluice.receiver"]).refusal(message) == "other_type")
    }

    @Test func `an event of a later version is passed on`() throws {
        let value = #"{"version":2,"id":"a","type":"dev.sluice.new.kind","time":"2027-01-01T00:00:00Z","more":[1]}"#
        let body = String(decoding: try message(Array(value.utf8)).body, as: UTF8.self)
        #expect(
            body == #"{"type":"dev.sluice.new.kind","timestamp":"2027-01-01T00:00:00Z","data":\#(value)}"#)
    }

    @Test(arguments: [
        nil, "", "[]", #"{"type":"a","time":"b"}"#, #"{"id":"","type":"a","time":"b"}"#, #"{"id":"1","type":"a"}"#,
        #"{"id":"1","type":7,"time":"b"}"#,
    ])
    func `a value that is not an event is unusable`(_ value: String?) {
        #expect(throws: WebhookMessageError.unusable("unreadable")) { try message(value.map { Array($0.utf8) }) }
    }

    @Test func `an id names its content, and other ids are refused`() {
        let id = WebhookID("operations-\(Self.id)")
        #expect(id?.content == .operations && id?.environment == nil)
        #expect(id?.topic(TopicNames()) == "appstore.operations")
        #expect(WebhookID("operations-") == nil)
        #expect(WebhookID(operatorEvent: "a.b").text.contains(".") == false)
    }

    @Test func `events are posted to their receiver, signed`() async throws {
        let installation = try await Installation()
        try installation.create(installation.topics.operatorEventDeadLetters(of: "sluice-webhooks"))
        let receiver = try Receiver()
        let secrets = try installation.directory.write(TestKey.line(TestKey.first), to: "secrets")
        try await installation.write([
            produced(.memberStarted), produced(.memberStopped, id: "0af7651916cd43dd8448eb211c80319c"),
        ])
        let webhooks = try await RunningWebhooks([
            "--kafka.bootstrap.servers", installation.kafka.bootstrapServers, "--profile", "single-node",
            "--admin.port", "0", "--data.dir", installation.directory.path, "--webhooks.secret.file", secrets,
            "--webhooks.url", receiver.url, "--webhooks.content", "operations",
        ])
        try await waitUntil { receiver.accepted.count == 2 }
        #expect(await webhooks.stop() == .ok)
        #expect(
            receiver.accepted.map { $0.message["type"]?.string } == [
                "dev.sluice.member.started", "dev.sluice.member.stopped",
            ])
        #expect(receiver.accepted.allSatisfy { $0.isSigned(with: TestKey.first) })
    }
}
