import HTTPServer
import Kafka
import PipelineRuntime
import Primitives
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Webhooks

/// Sequential calls of the handler, without a broker.
@Suite(.timeLimit(.minutes(5))) struct HandlerTests {
    private func record(_ purchase: String, offset: KafkaOffset = 0, number: Int = 1) -> KafkaRecord {
        KafkaRecord(
            topic: "appstore.entitlements.production", partition: 0, offset: offset, key: TestState.key(purchase),
            value: TestState.value(purchase, number))
    }

    @Test func `refusals are attributed to the record up to the limit of four records after an acceptance`()
        async throws
    {
        let receiver = try Receiver { delivery, _ in delivery.state == "bad:1" ? .status(422) : .accepted }
        let handler = try handler(url: receiver.url, attempts: 2, directory: TemporaryDirectory())
        for number in 1...2 {
            for _ in 1...8 {
                let refusal = await #expect(throws: WebhooksHandler.Refused.self) {
                    try await handler.handle(record("bad"))
                }
                #expect(refusal?.reason.code == "http_422")
            }
            for _ in 1...3 { #expect(try await handler.handle(record("bad")) == .retry(after: nil)) }
            #expect(try await handler.handle(record("good", number: number)) == .done)
        }
    }

    @Test func `a record that cannot become a message is dead-lettered and not sent`() async throws {
        let receiver = try Receiver()
        let handler = try handler(url: receiver.url, attempts: 2, directory: TemporaryDirectory())
        func verdict(key: String?, _ value: String?) async throws -> HandlerVerdict {
            try await handler.handle(
                KafkaRecord(
                    topic: "appstore.entitlements.production", partition: 0, offset: 0, key: key.map { Array($0.utf8) },
                    value: value.map { Array($0.utf8) }))
        }
        #expect(try await verdict(key: "", nil) == .deadLetter("key_missing"))
        #expect(try await verdict(key: "no-slash", nil) == .deadLetter("key_missing"))
        #expect(try await verdict(key: "com.example/1", "no JSON") == .deadLetter("unreadable"))
        #expect(try await verdict(key: nil, "{}") == .deadLetter("unreadable"))
        #expect(receiver.deliveries.isEmpty)
    }

    @Test func `cancelled work ends its request`() async throws {
        let receiver = try Receiver { _, _ in nil }
        let handler = try handler(url: receiver.url, attempts: 2, directory: TemporaryDirectory())
        let work = Task { try await handler.handle(record("state")) }
        try await waitUntil { receiver.deliveries.count == 1 }
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    // MARK: Records that the receiver cannot process

    /// Ways for a receiver to fail for one payload: status 500, status 404, a response that is too long, or none.
    enum Failing: CaseIterable {
        case status500, status404, answerTooLong, silence

        var response: HTTPResponse? {
            switch self {
            case .status500: .status(500)
            case .status404: .status(404)
            case .answerTooLong:
                HTTPResponse(
                    status: 200, reason: "test",
                    body: [UInt8](repeating: 1, count: WebhookSender.maximumAnswerBytes + 1))
            case .silence: nil
            }
        }

        var reason: String {
            switch self {
            case .status500: "http_500"
            case .status404: "http_404"
            case .answerTooLong: "failed"
            case .silence: "timed_out"
            }
        }
    }

    @Test(arguments: Failing.allCases)
    func `a record that fails often and for long while others are accepted is dead-lettered`(failing: Failing)
        async throws
    {
        let clock = ManualClock()
        let receiver = try Receiver { delivery, _ in delivery.state == "bad:1" ? failing.response : .accepted }
        let handler = try handler(
            url: receiver.url, attempts: 2, directory: TemporaryDirectory(),
            [
                "--webhooks.failures", "3", "--webhooks.failures.time", "10m",
                "--webhooks.timeout", failing == .silence ? "2s" : "30s",
            ],
            clocks: clock.clocks)
        for number in 1...3 {
            #expect(try await handler.handle(record("bad")) == .retry(after: nil))
            #expect(try await handler.handle(record("good", offset: 1, number: number)) == .done)
        }
        clock.advance(by: .seconds(599))
        #expect(try await handler.handle(record("bad")) == .retry(after: nil))
        clock.advance(by: .seconds(1))
        guard case .deadLetter(let reason) = try await handler.handle(record("bad")) else {
            Issue.record("expected a dead letter")
            return
        }
        #expect(reason.code == failing.reason)
    }

    @Test func `no record is dead-lettered while the receiver fails every request, however long`() async throws {
        let clock = ManualClock()
        let receiver = try Receiver { _, _ in .status(500) }
        let handler = try handler(
            url: receiver.url, attempts: 2, directory: TemporaryDirectory(),
            ["--webhooks.failures", "2", "--webhooks.failures.time", "0s"], clocks: clock.clocks)
        for _ in 1...20 {
            #expect(try await handler.handle(record("bad")) == .retry(after: nil))
            #expect(try await handler.handle(record("other", offset: 1)) == .retry(after: nil))
            clock.advance(by: .seconds(3600))
        }
    }

    @Test func `a failing record is dead-lettered although no other record is left to be accepted`() async throws {
        let clock = ManualClock()
        let receiver = try Receiver { delivery, _ in delivery.state == "bad:1" ? .status(500) : .accepted }
        let handler = try handler(
            url: receiver.url, attempts: 2, directory: TemporaryDirectory(),
            ["--webhooks.failures", "3", "--webhooks.failures.time", "10m"], clocks: clock.clocks)
        #expect(try await handler.handle(record("good", offset: 1)) == .done)
        #expect(try await handler.handle(record("bad")) == .retry(after: nil))
        clock.advance(by: .seconds(600))
        // The window is full, so the partition waits only for this record.
        var verdicts: [HandlerVerdict] = []
        for _ in 1...5 {
            verdicts.append(try await handler.handle(record("bad")))
            clock.advance(by: .seconds(30))
        }
        #expect(
            verdicts.contains {
                if case .deadLetter(let reason) = $0 { reason.code == "http_500" } else { false }
            })
        // The probe was accepted before: the same body under the same id.
        let good = receiver.deliveries.filter { $0.state == "good:1" }
        #expect(good.count > 1 && Set(good.map(\.id)).count == 1 && Set(good.map(\.body)).count == 1)
    }

    // MARK: Status 410

    @Test func `nothing is sent after 410, and a metric reports it`() async throws {
        let metrics = MetricsRegistry()
        let receiver = try Receiver { _, _ in .status(410) }
        let handler = try handler(
            url: receiver.url, attempts: 2, directory: TemporaryDirectory(), metrics: metrics)
        func stopped() -> Bool {
            String(decoding: metrics.prometheusText(), as: UTF8.self).contains("\nsluice_webhooks_stopped 1\n")
        }
        #expect(!stopped())
        for _ in 1...5 { #expect(try await handler.handle(record("state")) == .retry(after: .seconds(60))) }
        #expect(receiver.deliveries.count == 1)
        #expect(stopped())
    }

    @Test func `410 is a failure like any other if it is configured to be retried`() async throws {
        let receiver = try Receiver { _, _ in .status(410) }
        let handler = try handler(
            url: receiver.url, attempts: 2, directory: TemporaryDirectory(), ["--webhooks.gone", "retry"])
        for _ in 1...5 { #expect(try await handler.handle(record("state")) == .retry(after: nil)) }
        #expect(receiver.deliveries.count == 5)
    }

    // MARK: Filters

    @Test func `a state that a filter excludes is skipped`() async throws {
        let receiver = try Receiver()
        let handler = try handler(
            url: receiver.url, attempts: 2, directory: TemporaryDirectory(),
            ["--webhooks.apps", "com.example,com.example.two", "--webhooks.types", "purchase.revoked"])
        func verdict(_ app: String, _ state: String) async throws -> HandlerVerdict {
            try await handler.handle(
                KafkaRecord(
                    topic: "appstore.entitlements.production", partition: 0, offset: 0,
                    key: TestState.key("1", app: app), value: TestState.value("1", 1, app: app, states: [state])))
        }
        #expect(try await verdict("com.other", "REVOKED") == .skip("other_app"))
        #expect(try await verdict("com.example", "ACTIVE") == .skip("other_type"))
        #expect(try await verdict("com.example.two", "REVOKED") == .done)
        #expect(receiver.deliveries.count == 1)
    }

    @Test func `a state equal to the last accepted one is not posted again`() async throws {
        let isBroken = Atomic(true)
        let receiver = try Receiver { _, _ in isBroken.load(ordering: .relaxed) ? .status(503) : .accepted }
        let handler = try handler(url: receiver.url, attempts: 2, directory: TemporaryDirectory())
        func verdict(_ number: Int, version: String, state: String = "ACTIVE") async throws -> HandlerVerdict {
            let text = String(decoding: TestState.value("1", number, states: [state]), as: UTF8.self)
                .replacing("000000000100001", with: "00000000010000\(version)").replacing(
                    "\"asOf\":1793491201000", with: "\"asOf\":1\(version)")
            return try await handler.handle(
                KafkaRecord(
                    topic: "appstore.entitlements.production", partition: 0, offset: 0, key: TestState.key("1"),
                    value: Array(text.utf8)))
        }
        // A message that was not accepted is posted again.
        #expect(try await verdict(1, version: "1") == .retry(after: nil))
        isBroken.store(false, ordering: .relaxed)
        #expect(try await verdict(1, version: "1") == .done)
        #expect(try await verdict(1, version: "2") == .skip("unchanged"))
        #expect(try await verdict(1, version: "3", state: "GRACE") == .done)
        // This state equals an earlier one but not the last one, so it is posted again.
        #expect(try await verdict(1, version: "4") == .done)
        await handler.partitionReleased(KafkaTopicPartition(topic: "appstore.entitlements.production", partition: 0))
        #expect(try await verdict(1, version: "5") == .done)
        #expect(receiver.accepted.count == 4)
    }

    @Test func `a state equal to the last accepted one is posted again after a failed attempt to post another`()
        async throws
    {
        let receiver = try Receiver { delivery, _ in delivery.text.contains("REVOKED") ? .status(503) : .accepted }
        let handler = try handler(url: receiver.url, attempts: 2, directory: TemporaryDirectory())
        func verdict(version: String, state: String = "ACTIVE") async throws -> HandlerVerdict {
            let text = String(decoding: TestState.value("1", 1, states: [state]), as: UTF8.self)
                .replacing("000000000100001", with: "00000000010000\(version)")
            return try await handler.handle(
                KafkaRecord(
                    topic: "appstore.entitlements.production", partition: 0, offset: 0, key: TestState.key("1"),
                    value: Array(text.utf8)))
        }
        #expect(try await verdict(version: "1") == .done)
        // The receiver may have processed this state before it failed. The record may then be dead-lettered.
        #expect(try await verdict(version: "2", state: "REVOKED") == .retry(after: nil))
        #expect(try await verdict(version: "3") == .done)
        #expect(receiver.accepted.count == 2)
    }

    @Test func `a state equal to the last accepted one is posted again after an erasure`() async throws {
        let receiver = try Receiver()
        let handler = try handler(url: receiver.url, attempts: 2, directory: TemporaryDirectory())
        let erasure = KafkaRecord(
            topic: "appstore.entitlements.production", partition: 0, offset: 1, timestampMilliseconds: 1_000,
            key: TestState.key("1"), value: nil)
        #expect(try await handler.handle(record("1")) == .done)
        #expect(try await handler.handle(record("1")) == .skip("unchanged"))
        #expect(try await handler.handle(erasure) == .done)
        #expect(try await handler.handle(record("1")) == .done)
        #expect(receiver.accepted.count == 3)
    }

    @Test func `the latest thousand attempts are kept with their outcomes`() async throws {
        let log = AttemptLog()
        let receiver = try Receiver { _, number in number == 1 ? .status(503) : .accepted }
        let handler = try handler(url: receiver.url, attempts: 2, directory: TemporaryDirectory(), log: log)
        for _ in 1...2 { _ = try await handler.handle(record("state")) }
        #expect(log.all.map(\.status) == [503, 204])
        #expect(log.all.map(\.id) == receiver.deliveries.map(\.id))
        #expect(log.all.allSatisfy { $0.type == "purchase.active" })
        let attempt = try #require(log.all.first)
        for _ in 1...AttemptLog.limit { log.add(attempt) }
        #expect(log.all.count == AttemptLog.limit)
        #expect(log.all.allSatisfy { $0.status == 503 })
    }
}

extension ManualClock {
    var clocks: Clocks {
        Clocks(wallMilliseconds: SystemClock.wallMilliseconds, monotonicNanoseconds: { self.now })
    }
}
