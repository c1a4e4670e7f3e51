import AppStoreModel
import Cryptography
import JSON
import JSONTestSupport
import Kafka
import PipelineRuntime
import Primitives
import Records
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Webhooks

/// `webhooks.content=notification` and `signed`, with records like those of the ingress.
@Suite(.timeLimit(.minutes(5))) struct NotificationContentTests {
    private static let payload =
        #"{"notificationType":"DID_RENEW","subtype":"BILLING_RECOVERY","notificationUUID":"u-1","#
        + #""signedDate":1793491201000,"data":{"bundleId":"com.example","environment":"Production"}}"#
    private static let segment = Array("eyJhbGciOiJFUzI1NiJ9".utf8)
    private static let signature = String(repeating: "A", count: 85) + "Q"
    private static var reference: String { SHA256.digest(of: segment).hex }
    private static var jws: String {
        String(decoding: segment, as: UTF8.self) + "."
            + String(decoding: Base64URL.encode(Array(payload.utf8)), as: UTF8.self)
            + "." + signature
    }

    private func record(
        value: String? = nil, type: String? = "com.apple.appstore.DID_RENEW.BILLING_RECOVERY",
        key: String = "com.example/1"
    ) -> KafkaRecord {
        let proof = #"{"notification":{"header":"\#(Self.reference)","signature":"\#(Self.signature)"}}"#
        var headers = [
            KafkaHeader(.id, "u-1"), KafkaHeader(.time, "2026-11-01T00:00:01.000Z"), KafkaHeader(.subject, "1"),
            KafkaHeader(.bundleId, "com.example"), KafkaHeader(.trust, "signed"), KafkaHeader(.origin, "live"),
        ]
        if let type { headers.append(KafkaHeader(.type, type)) }
        return KafkaRecord(
            topic: "appstore.notifications.production", partition: 3, offset: 7,
            timestampMilliseconds: 1_793_491_201_500, key: Array(key.utf8),
            value: Array((value ?? #"{"notification":\#(Self.payload),"proof":\#(proof)}"#).utf8), headers: headers)
    }

    private func reading(_ content: WebhookContent, segment: [UInt8]? = segment) -> MessageReading {
        let certificates = CertificateDirectory()
        if let segment {
            certificates.take([
                KafkaRecord(
                    topic: "appstore.certificates", partition: 0, offset: 0, key: Array(Self.reference.utf8),
                    value: segment)
            ])
        }
        return MessageReading(content, TopicNames(), certificates: certificates)
    }

    @Test func `a notification message contains Apple's own text, and its version follows the signed date`()
        throws
    {
        let message = try reading(.notification).message(record())
        #expect(message.type == "com.apple.appstore.DID_RENEW.BILLING_RECOVERY")
        #expect(message.id == "notification-production-u-1")
        let object = try #require(try JSONValue(json: message.body).object)
        #expect(object["type"]?.string == message.type)
        #expect(object["timestamp"] == "2026-11-01T00:00:01.000Z")
        let data = try #require(object["data"]?.object)
        #expect(data["version"] == "001793491201000-u-1")
        #expect(data["originalTransactionId"] == "1")
        #expect(data["proof"] == nil)
        #expect(String(decoding: message.body, as: UTF8.self).contains(#""notification":\#(Self.payload)"#))
        #expect(try JSONSchema.deployed("webhook.schema.json").faults(in: message.body) == [])
    }

    @Test func `a signed message is the body that Apple posted, byte for byte`() throws {
        let message = try reading(.signed).message(record())
        #expect(String(decoding: message.body, as: UTF8.self) == #"{"signedPayload":"\#(Self.jws)"}"#)
        #expect(message.type == "com.apple.appstore.DID_RENEW.BILLING_RECOVERY")
        #expect(message.id == "signed-production-u-1")
        // A record without a proof is sent as received.
        let whole = record(value: #"{"notification":{},"signedPayload":"a.b.c"}"#)
        #expect(try reading(.signed).message(whole).body == Array(#"{"signedPayload":"a.b.c"}"#.utf8))
    }

    @Test(arguments: [
        (#"{"notification":{}}"#, WebhookMessageError.unwanted("unsigned")),
        (#"{"notification":{},"proof":{}}"#, .unusable("malformed_proof")),
        (#"{"proof":{}}"#, .unusable("unreadable")), ("torn", .unusable("unreadable")),
    ])
    func `a record without Apple's signature is not sent as a signed message`(value: String, error: WebhookMessageError)
    {
        #expect(throws: error) { try reading(.signed).message(record(value: value)) }
    }

    @Test
    func `a record with lost certificates is logged, and dead-lettered after a complete reading of their topic`()
        async throws
    {
        let (clock, sink) = (ManualClock(), MemoryLogSink())
        let readings = Mutex(0)
        let handler = try handler(
            url: Receiver().url, attempts: 2, directory: TemporaryDirectory(), ["--webhooks.content", "signed"],
            clocks: clock.clocks, logSink: sink
        ) {
            // The first reading does not reach the end of the topic.
            readings.withLock { count in
                count += 1
                return count > 1
            }
        }
        #expect(try await handler.handle(record()) == .retry(after: .seconds(1)))
        #expect(
            sink.lines.contains { $0.contains("missing from the certificates topic") && $0.contains(Self.reference) })
        clock.advance(by: .seconds(300))
        #expect(try await handler.handle(record()) == .retry(after: .seconds(1)))
        #expect(try await handler.handle(record()) == .retry(after: .seconds(1)))
        #expect(readings.withLock { $0 } == 1)
        clock.advance(by: .seconds(60))
        #expect(try await handler.handle(record()) == .retry(after: .seconds(1)))
        guard case .deadLetter(let reason) = try await handler.handle(record()) else {
            Issue.record("expected a dead letter")
            return
        }
        #expect(reason.code == "unknown_header")
        #expect(readings.withLock { $0 } == 2)
    }

    @Test func `a record waits for the certificates that it references`() async throws {
        #expect(throws: WebhookMessageError.notYet(HeaderReference(rawValue: Self.reference))) {
            try reading(.signed, segment: nil).message(record())
        }
        // A text with another digest would rebuild a JWS that was never signed.
        #expect(throws: WebhookMessageError.notYet(HeaderReference(rawValue: Self.reference))) {
            try reading(.signed, segment: [1]).message(record())
        }
        let receiver = try Receiver()
        let handler = try handler(
            url: receiver.url, attempts: 2, directory: TemporaryDirectory(), ["--webhooks.content", "signed"])
        #expect(try await handler.handle(record()) == .retry(after: .seconds(1)))
        #expect(receiver.deliveries.isEmpty)
    }

    @Test func `a dead letter that cannot be reposted is skipped with its own reason`() {
        func reason(_ value: String? = nil, segment: [UInt8]? = Self.segment) -> String? {
            let original = record(value: value)
            let letter = KafkaRecord(
                topic: "appstore.notifications.production.sluice-webhooks.dlq", partition: 0, offset: 0,
                key: original.key, value: original.value,
                headers: original.headers + [
                    KafkaHeader(key: DeadLetterHeader.topic, text: original.topic.rawValue),
                    KafkaHeader(key: DeadLetterHeader.partition, text: "3"),
                    KafkaHeader(key: DeadLetterHeader.offset, text: "7"),
                ])
            let reading = reading(.signed, segment: segment)
            let error = #expect(throws: WebhooksOperations.NotPosted.self) {
                try WebhooksOperations.message(of: letter, reading)
            }
            return error?.reason
        }
        #expect(reason(#"{"notification":{}}"#) == "it contains nothing to deliver: unsigned")
        #expect(reason(#"{"notification":{},"proof":{}}"#) == "it is invalid for its topic: malformed_proof")
        #expect(reason("torn") == "it is invalid for its topic: unreadable")
        #expect(reason(segment: nil) == "header \(Self.reference) is not in the certificates topic")
    }

    @Test func `a notification without its headers is not sent`() {
        #expect(throws: WebhookMessageError.unusable("unreadable")) {
            try reading(.notification).message(record(type: nil))
        }
    }

    @Test func `messages of states, erasures and tests satisfy the published schema`() throws {
        let schema = try JSONSchema.deployed("webhook.schema.json")
        let state = reading(.state)
        for value in [TestState.value("1", 1), TestState.value("1", 1, states: []), nil] {
            let record = KafkaRecord(
                topic: "appstore.entitlements.production", partition: 0, offset: 0, key: TestState.key("1"),
                value: value)
            #expect(schema.faults(in: try state.message(record).body) == [])
        }
        #expect(schema.faults(in: WebhooksOperations.testMessage(at: 0).body) == [])
        for wrong in [
            "{}", #"{"type":"purchase.active","timestamp":"2026-11-01T00:00:01.000Z","data":{}}"#,
            #"{"type":"purchase.erased","timestamp":"now","data":{}}"#,
        ] {
            #expect(!schema.faults(in: Array(wrong.utf8)).isEmpty)
        }
    }
}
