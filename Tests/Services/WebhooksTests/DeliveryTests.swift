import HTTPServer
import JSON
import Kafka
import Lifecycle
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Webhooks

/// The service on the embedded broker with a receiver in this process.
@Suite(.timeLimit(.minutes(10))) struct DeliveryTests {
    private let installation: Installation

    init() async throws { installation = try await Installation() }

    @Test func `each state is posted once, signed by every key, in order for each key`() async throws {
        let receiver = try Receiver()
        try await installation.write(states: 60, keys: 7)
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        try await installation.write([
            KafkaProducerRecord(
                topic: installation.production, key: Array("com.example/\"1\"".utf8), value: nil,
                headers: [KafkaHeader(key: "traceparent", text: trace)]),
            KafkaProducerRecord(
                topic: installation.sandbox, key: TestState.key("sandbox"), value: TestState.value("sandbox", 1)),
        ])
        let webhooks = try await RunningWebhooks(
            installation.arguments(url: receiver.url, keys: [TestKey.first, TestKey.second]))
        try await waitUntil { receiver.accepted.count >= 61 }
        #expect(await webhooks.stop() == .ok)

        let states = receiver.accepted.filter { $0.state.hasPrefix("key-") }
        #expect(Set(states.map(\.state)) == Set((0..<60).map { "key-\($0 % 7):\($0)" }))
        #expect(states.count == 60)
        #expect(states.isInOrderForEachKey)
        let erasure = try #require(receiver.accepted.first { $0.traceParent != nil })
        #expect(erasure.message["type"] == "purchase.erased")
        #expect(erasure.data["originalTransactionId"] == "\"1\"")
        #expect(erasure.traceParent == trace)
        #expect(Set(receiver.accepted.compactMap(\.id)).count == 61)
        for delivery in receiver.accepted {
            #expect(delivery.path == "/hook")
            #expect(delivery.contentType == "application/json")
            #expect(delivery.id?.hasPrefix("state-production-") == true)
            #expect(delivery.signatures.count == 2)
            #expect(delivery.isSigned(with: TestKey.first) && delivery.isSigned(with: TestKey.second))
            #expect(!delivery.isSigned(with: [UInt8](repeating: 3, count: 32)))
        }
        #expect(webhooks.attempts(.accepted) == 61)
    }

    @Test func `no state is lost, skipped or reordered while the receiver is down`() async throws {
        let port = try await Receiver.closedPort()
        try await installation.write(states: 40, keys: 3)
        let webhooks = try await RunningWebhooks(installation.arguments(url: "http://127.0.0.1:\(port)/"))
        try await waitUntil { webhooks.attempts(.connectionFailed) >= 5 }
        // The receiver becomes overloaded, and every second request fails.
        let receiver = try Receiver(port: port) { _, number in number % 2 == 0 ? .accepted : .status(503) }
        try await waitUntil(within: .seconds(60)) { receiver.accepted.count >= 40 }
        #expect(await webhooks.stop() == .ok)
        #expect(receiver.accepted.map(\.state).sorted() == (0..<40).map { "key-\($0 % 3):\($0)" }.sorted())
        #expect(receiver.accepted.isInOrderForEachKey)
        // A retry sends the same message.
        for (_, attempts) in Dictionary(grouping: receiver.deliveries, by: \.id) {
            #expect(Set(attempts.map(\.text)).count == 1)
            #expect(attempts.allSatisfy { $0.isSigned(with: TestKey.first) })
        }
        #expect(try await installation.deadLetters().isEmpty)
        #expect(webhooks.log.lines.contains { $0.contains("webhook not delivered") && $0.contains("127.0.0.1") })
        #expect(!webhooks.log.lines.contains { $0.contains("key-1") })
    }

    @Test func `a busy receiver is not contacted before its Retry-After has passed`() async throws {
        try await installation.write(states: 1, keys: 1)
        let clock = ContinuousClock()
        let times = Mutex<[ContinuousClock.Instant]>([])
        let receiver = try Receiver { _, number in
            times.withLock { $0.append(clock.now) }
            return number == 1 ? .status(429, [("Retry-After", "2")]) : .accepted
        }
        let webhooks = try await RunningWebhooks(installation.arguments(url: receiver.url))
        try await waitUntil { receiver.accepted.count == 1 }
        #expect(await webhooks.stop() == .ok)
        let seen = times.withLock { $0 }
        #expect(seen.count == 2)
        #expect(seen[1] - seen[0] >= .seconds(2))
        #expect(webhooks.attempts(.throttled) == 1)
    }

    @Test func `a delivery is retried when the receiver does not respond`() async throws {
        try await installation.write(states: 1, keys: 1)
        let receiver = try Receiver { _, number in number == 1 ? nil : .accepted }
        let webhooks = try await RunningWebhooks(
            installation.arguments(url: receiver.url) + ["--webhooks.timeout", "3s"])
        try await waitUntil { receiver.accepted.count == 1 }
        #expect(await webhooks.stop() == .ok)
        #expect(webhooks.attempts(.timedOut) == 1)
    }

    @Test func `a refused record is dead-lettered with the status, and the other records are delivered`() async throws {
        try await installation.write(states: 30, keys: 10)
        let receiver = try Receiver { delivery, _ in
            delivery.state.hasPrefix("key-4:") ? .status(422) : .accepted
        }
        let webhooks = try await RunningWebhooks(
            installation.arguments(url: receiver.url) + ["--consumer.attempts", "3"])
        try await waitUntil(within: .seconds(60)) {
            webhooks.metric("sluice_consumer_records_total{outcome=\"dead-lettered\"") == 3
                && receiver.accepted.count == 27
        }
        #expect(await webhooks.stop() == .ok)
        let letters = try await installation.deadLetters()
        #expect(letters.compactMap(\.state).sorted() == ["key-4:14", "key-4:24", "key-4:4"])
        for letter in letters {
            #expect(letter.text("sluice.dlq.reason") == "http_422")
            #expect(letter.text("sluice.dlq.attempts") == "3")
            let message = try #require(letter.text("__connect.errors.exception.message"))
            let id = try #require(receiver.deliveries.first { $0.state == letter.state }?.id)
            #expect(message == "the receiver responded 422 (webhook-id \(id))")
        }
        #expect(receiver.deliveries.count { $0.state == "key-4:4" } == 3)
    }

    /// The only partition has more than 10,000 records behind the failing one.
    @Test func `a record that the receiver cannot process does not block the records behind it`() async throws {
        let installation = try await Installation(partitions: 1)
        try await installation.write(states: 10_500, keys: 10_500)
        let receiver = try Receiver { delivery, _ in delivery.state == "key-3:3" ? .status(500) : .accepted }
        let webhooks = try await RunningWebhooks(
            installation.arguments(url: receiver.url)
                + ["--webhooks.failures", "7", "--webhooks.failures.time", "5s", "--webhooks.concurrency", "32"])
        try await waitUntil(within: .seconds(60)) { Set(receiver.accepted.map(\.state)).count == 10_499 }
        try await waitUntil(within: .seconds(120)) {
            webhooks.metric("sluice_consumer_records_total{outcome=\"dead-lettered\"") == 1
        }
        #expect(await webhooks.stop() == .ok)
        let letter = try #require(try await installation.deadLetters().first)
        #expect(letter.state == "key-3:3" && letter.text("sluice.dlq.reason") == "http_500")
    }

    /// A broken receiver responds with 400 to everything, a receiver with a wrong secret with 401, and a moved service
    /// with 308.
    @Test(arguments: [400, 401, 308])
    func `no state is lost when a receiver refuses everything, and an error is logged`(status: Int) async throws {
        try await installation.write(states: 100, keys: 20)
        let isBroken = Atomic(true)
        let receiver = try Receiver { _, _ in
            isBroken.load(ordering: .relaxed) ? .status(status, [("Location", "/elsewhere")]) : .accepted
        }
        let webhooks = try await RunningWebhooks(
            installation.arguments(url: receiver.url) + ["--consumer.attempts", "2"])
        // Wait for far more failures than a single record may have.
        try await waitUntil(within: .seconds(60)) { receiver.deliveries.count >= 60 }
        let spent = try await installation.deadLetters().count
        #expect(spent <= (status == 400 ? 4 : 0))
        #expect(webhooks.log.lines.contains { $0.contains("\"level\":\"error\"") && $0.contains("\(status)") })
        isBroken.store(false, ordering: .relaxed)
        try await waitUntil(within: .seconds(60)) { receiver.accepted.count >= 100 - spent }
        #expect(await webhooks.stop() == .ok)
        let texts = receiver.accepted.map(\.state) + (try await installation.deadLetters().compactMap(\.state))
        #expect(texts.sorted() == (0..<100).map { "key-\($0 % 20):\($0)" }.sorted())
        #expect(receiver.accepted.allSatisfy { $0.path == "/hook" })
    }

    @Test func `a delivery interrupted by a stop is repeated after the next start`() async throws {
        try await installation.write(states: 12, keys: 1)
        let silent = try Receiver { _, number in number <= 4 ? .accepted : nil }
        let first = try await RunningWebhooks(
            installation.arguments(url: silent.url) + ["--consumer.drain.limit", "1s"])
        try await waitUntil { silent.deliveries.count == 5 }
        #expect(await first.stop() == .ok)
        #expect(silent.accepted.count == 4)

        let receiver = try Receiver()
        let second = try await RunningWebhooks(installation.arguments(url: receiver.url))
        try await waitUntil { receiver.accepted.last?.state == "key-0:11" }
        #expect(await second.stop() == .ok)
        #expect(receiver.accepted.map(\.state) == (4..<12).map { "key-0:\($0)" })
        #expect(receiver.accepted.first?.id == silent.deliveries.last?.id)
    }

    @Test func `a response beyond the size limit is a failed attempt`() async throws {
        try await installation.write(states: 1, keys: 1)
        let receiver = try Receiver { _, number in
            number == 1
                ? HTTPResponse(
                    status: 200, reason: "test",
                    body: [UInt8](repeating: 1, count: WebhookSender.maximumAnswerBytes + 1)) : .accepted
        }
        let webhooks = try await RunningWebhooks(installation.arguments(url: receiver.url))
        try await waitUntil { receiver.deliveries.count == 2 }
        #expect(await webhooks.stop() == .ok)
        #expect(webhooks.attempts(.failed) == 1)
    }

    @Test func `missing topics are reported with the command that creates them`() async throws {
        let arguments = try installation.arguments(url: "https://127.0.0.1:1/", prefix: "none")
        let error = await #expect(throws: StartupError.self) { _ = try await RunningWebhooks(arguments) }
        #expect(error?.exitCode == .configuration)
        #expect(error?.line.contains("none.entitlements.production") == true)
        #expect(error?.line.contains("sluicectl topics apply") == true)
    }
}

extension [Delivery] {
    /// Whether the numbers after the colon are ascending for each key.
    fileprivate var isInOrderForEachKey: Bool {
        let parts = map { $0.state.split(separator: ":") }
        return Dictionary(grouping: parts, by: { $0.first }).values.allSatisfy { states in
            let numbers = states.compactMap { $0.last.flatMap { Int($0) } }
            return numbers == numbers.sorted()
        }
    }
}

extension KafkaRecord {
    fileprivate var state: String? { value.flatMap { TestState.name(of: $0) } }

    fileprivate func text(_ header: String) -> String? {
        self.header(header)?.value.map { String(decoding: $0, as: UTF8.self) }
    }
}
