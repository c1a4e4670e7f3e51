import HTTPClient
import Kafka
import OperatorEventsTestSupport
import TestSupport
import Testing

@testable import Webhooks

/// The operator events about a receiver.
@Suite(.timeLimit(.minutes(1))) struct ReceiverEventsTests {
    private static let minute: UInt64 = 60_000_000_000
    private let recorded = RecordedEvents()
    private let receiver: ReceiverEvents

    init() { receiver = ReceiverEvents(recorded.events, group: "crm") }

    private func record() -> KafkaRecord {
        KafkaRecord(
            topic: "appstore.entitlements.production", partition: 0, offset: 0, key: TestState.key("state"),
            value: TestState.value("state", 1))
    }

    private func answer(_ status: Int) -> ReceiverAnswer {
        ReceiverAnswer(HTTPClientResponse(status: status, headers: [], body: []), now: 0)
    }

    @Test func `a receiver that fails for five minutes has stopped, once, and resumes with an accepted message`() {
        for minute in 0..<5 { receiver.failed(answer(503), at: UInt64(minute) * Self.minute) }
        #expect(recorded.lines == [])
        for minute in 5..<9 { receiver.failed(answer(503), at: UInt64(minute) * Self.minute) }
        let stopped = #"receiver.stopped crm {"reason":"unavailable","status":503}"#
        #expect(recorded.lines == [stopped])
        receiver.accepted()
        receiver.accepted()
        #expect(recorded.lines == [stopped, "receiver.resumed crm"])
    }

    @Test func `an accepted message in between restarts the five minutes`() {
        for minute in 0..<20 {
            receiver.failed(answer(500), at: UInt64(minute) * Self.minute)
            if minute.isMultiple(of: 4) { receiver.accepted() }
        }
        #expect(recorded.lines == [])
    }

    @Test func `a receiver that does not respond has stopped, too`() {
        let failure = ReceiverAnswer(HTTPClientError(code: .connectionFailed, message: "refused"))
        for minute in [0, 5] as [UInt64] { receiver.failed(failure, at: minute * Self.minute) }
        #expect(recorded.lines == [#"receiver.stopped crm {"reason":"connection_failed"}"#])
    }

    @Test func `the first 410 stops the receiver, and a message accepted at the same time does not resume it`()
        async throws
    {
        let gone = try Receiver { _, _ in .status(410) }
        let handler = try handler(
            url: gone.url, attempts: 2, directory: TemporaryDirectory(), receiver: receiver)
        for _ in 1...3 { _ = try await handler.handle(record()) }
        // The response to another request that was in progress at the time of the 410.
        receiver.accepted()
        #expect(recorded.lines == [#"receiver.stopped crm {"reason":"gone","status":410}"#])
    }

    @Test func `a receiver that rejects every message has stopped, and resumes`() async throws {
        // Two failed attempts for each of four records count as refusals of the records; the ninth counts as a failure
        // of the receiver.
        let refusing = try Receiver { _, number in number <= 10 ? .status(422) : .accepted }
        let handler = try handler(
            url: refusing.url, attempts: 2, directory: TemporaryDirectory(), receiver: receiver)
        for _ in 1...8 { _ = try? await handler.handle(record()) }
        #expect(recorded.lines == [])
        for _ in 9...11 { _ = try await handler.handle(record()) }
        #expect(
            recorded.lines == [
                #"receiver.stopped crm {"reason":"refused","status":422}"#, "receiver.resumed crm",
            ])
    }
}
