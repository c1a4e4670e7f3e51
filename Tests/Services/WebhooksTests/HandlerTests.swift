import HTTPServer
import Kafka
import PipelineRuntime
import TestSupport
import Testing

@testable import Webhooks

/// One call of the handler at a time, without a broker.
@Suite(.timeLimit(.minutes(5))) struct HandlerTests {
    private func record(_ value: String?, key: String = "key") -> KafkaRecord {
        KafkaRecord(
            topic: "appstore.entitlements.production", partition: 0, offset: 0, key: Array(key.utf8),
            value: value.map { Array($0.utf8) })
    }

    @Test func `refusals are the record's own for as many as four records may spend, counted from an acceptance`()
        async throws
    {
        let receiver = try Receiver { delivery, _ in delivery.text == "bad" ? .status(422) : .accepted }
        let handler = try handler(url: receiver.url, attempts: 2, directory: TemporaryDirectory())
        for _ in 1...2 {
            for _ in 1...8 {
                let refusal = await #expect(throws: WebhooksHandler.Refused.self) {
                    try await handler.handle(record("bad"))
                }
                #expect(refusal?.reason.code == "http_422")
            }
            for _ in 1...3 { #expect(try await handler.handle(record("bad")) == .retry(after: nil)) }
            #expect(try await handler.handle(record("good")) == .done)
        }
    }

    @Test func `a tombstone of nothing that has a name is dead-lettered and not sent`() async throws {
        let receiver = try Receiver()
        let handler = try handler(url: receiver.url, attempts: 2, directory: TemporaryDirectory())
        #expect(try await handler.handle(record(nil, key: "")) == .deadLetter("key_missing"))
        #expect(receiver.deliveries.isEmpty)
    }

    @Test func `work that is told to stop ends its request`() async throws {
        let receiver = try Receiver { _, _ in nil }
        let handler = try handler(url: receiver.url, attempts: 2, directory: TemporaryDirectory())
        let work = Task { try await handler.handle(record("state")) }
        try await waitUntil { receiver.deliveries.count == 1 }
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
    }
}
