import Kafka
import Lifecycle
import TestSupport
import Testing

@testable import PipelineRuntime

private struct SinkDown: InfrastructureFault {}
private struct Poison: Error, CustomStringConvertible { let description = "cannot read it" }

struct RecordDecisionTests {
    @Test func `a record's own fault uses up its attempts, then the record is dead-lettered`() throws {
        var attempts = RecordAttempts(maximum: 3)
        for _ in 0..<2 {
            guard case .wait(nil, .record) = attempts.threw(Poison(), at: 1_000) else {
                Issue.record("expected another attempt")
                return
            }
        }
        guard case .deadLetter(let cause) = attempts.threw(Poison(), at: 9_000) else {
            Issue.record("expected a dead letter")
            return
        }
        #expect(cause.attempts == 3)
        #expect(cause.firstFailureMilliseconds == 1_000)
        #expect(cause.reason == "attempts-spent")
        #expect(cause.exceptionClass == "Poison")
        #expect(cause.message == "cannot read it")
    }

    @Test func `an error with its own reason is dead-lettered with that reason`() {
        struct Refused: RecordFault {
            let reason = HandlerReason(code: "http_422", detail: "refused")
        }
        var attempts = RecordAttempts(maximum: 2)
        guard case .wait(nil, .record) = attempts.threw(Refused(), at: 1),
            case .deadLetter(let cause) = attempts.threw(Refused(), at: 2)
        else {
            Issue.record("expected another attempt, then a dead letter")
            return
        }
        #expect(cause.reason == "http_422")
        #expect(cause.message == "refused")
        #expect(cause.exceptionClass == "Refused")
        #expect(cause.attempts == 2)
    }

    @Test func `infrastructure errors are retried indefinitely`() {
        var attempts = RecordAttempts(maximum: 2)
        for _ in 0..<100 {
            guard case .wait(nil, .infrastructure) = attempts.threw(SinkDown(), at: 0) else {
                Issue.record("expected another attempt")
                return
            }
            guard case .wait(.seconds(9), .infrastructure) = attempts.answered(.retry(after: .seconds(9)), at: 0) else {
                Issue.record("expected another attempt")
                return
            }
        }
        #expect(attempts.spent == 0)
        #expect(attempts.failures == 200)
    }

    @Test func `a verdict ends the attempts`() {
        var attempts = RecordAttempts(maximum: 2)
        guard case .finish(.done) = attempts.answered(.done, at: 0) else {
            Issue.record("expected the end")
            return
        }
        let bad = HandlerVerdict.deadLetter(HandlerReason(code: "bad", detail: "no id"))
        guard case .deadLetter(let cause) = attempts.answered(bad, at: 0) else {
            Issue.record("expected a dead letter")
            return
        }
        #expect(cause.reason == "bad")
        #expect(cause.message == "no id")
        #expect(cause.attempts == 1)
    }

    @Test func `a verdict after retries counts all attempts from the first`() {
        var attempts = RecordAttempts(maximum: 2)
        for now in [1000, 2000] as [Int64] { _ = attempts.answered(.retry(after: nil), at: now) }
        guard case .deadLetter(let cause) = attempts.answered(.deadLetter("bad"), at: 3000) else {
            Issue.record("expected a dead letter")
            return
        }
        #expect(cause.attempts == 3)
        #expect(cause.firstFailureMilliseconds == 1000)
    }

    @Test func `cancellation uses up no attempt`() {
        var attempts = RecordAttempts(maximum: 1)
        guard case .wait(nil, .infrastructure) = attempts.threw(CancellationError(), at: 0) else {
            Issue.record("expected another attempt: only a task inside the handler was cancelled")
            return
        }
        guard case .stop = attempts.threw(CancellationError(), at: 0, isCancelled: true) else {
            Issue.record("expected to stop")
            return
        }
    }

    @Test func `backoff doubles up to its limit and never exceeds it`() {
        let backoff = RetryBackoff(first: .milliseconds(200), maximum: .seconds(30))
        #expect(backoff.bound(afterFailures: 0) == .milliseconds(200))
        #expect(backoff.bound(afterFailures: 1) == .milliseconds(200))
        #expect(backoff.bound(afterFailures: 2) == .milliseconds(400))
        #expect(backoff.bound(afterFailures: 8) == .milliseconds(25_600))
        #expect(backoff.bound(afterFailures: 9) == .seconds(30))
        #expect(backoff.bound(afterFailures: .max) == .seconds(30))
        var generator = SeededGenerator(seed: 1)
        var longest = Duration.zero
        for _ in 0..<1000 {
            let delay = backoff.delay(afterFailures: 3, using: &generator)
            #expect(delay >= .zero && delay <= .milliseconds(800))
            longest = max(longest, delay)
        }
        #expect(longest > .milliseconds(700))
    }
}

struct DeadLetterTests {
    private let cause = DeadLetterCause(
        reason: "bad", exceptionClass: "Poison", message: "cannot read it", attempts: 3,
        firstFailureMilliseconds: 1_772_368_496_789)

    @Test func `key, value and headers are preserved byte for byte, and source position and reason are added`() {
        let headers = [KafkaHeader(key: "h", value: [0, 255]), KafkaHeader(key: "n", value: nil)]
        let record = KafkaRecord(
            topic: "in", partition: 3, offset: 42, timestampMilliseconds: 5, key: [1, 0], value: [255, 254],
            headers: headers)
        let letter = DeadLetter.record(of: record, to: "in.group.dlq", group: "group", cause: cause)
        #expect(letter.topic == "in.group.dlq")
        #expect(letter.key == [1, 0])
        #expect(letter.value == [255, 254])
        // Nil selects the time of writing.
        #expect(letter.timestampMilliseconds == nil)
        #expect(Array(letter.headers.prefix(2)) == headers)
        let added = letter.headers.dropFirst(2).map { "\($0.key)=\(String(decoding: $0.value ?? [], as: UTF8.self))" }
        #expect(
            added == [
                "__connect.errors.topic=in", "__connect.errors.partition=3", "__connect.errors.offset=42",
                "__connect.errors.exception.class.name=Poison",
                "__connect.errors.exception.message=cannot read it", "__connect.errors.stage=TASK_PUT",
                "sluice.dlq.group=group", "sluice.dlq.reason=bad", "sluice.dlq.attempts=3",
                "sluice.dlq.first.failure.time=2026-03-01T12:34:56.789Z", "sluice.dlq.original.timestamp=5",
            ])
    }

    @Test func `null is preserved`() {
        let record = KafkaRecord(topic: "in", partition: 0, offset: 0, key: nil, value: nil)
        let letter = DeadLetter.record(of: record, to: "dlq", group: "g", cause: cause)
        #expect(letter.key == nil)
        #expect(letter.value == nil)
        #expect(letter.timestampMilliseconds == nil)
    }

    @Test func `only a rejection changes the form, and a dead letter gets a key only once`() {
        let record = KafkaRecord(topic: "in", partition: 3, offset: 42, key: nil, value: [1])
        var form = DeadLetterForm()
        for code in [KafkaError.Code.timedOut, .topicAuthorizationFailed, .invalidTimestamp, .notEnoughReplicas] {
            #expect(form.change(after: KafkaError(code, "no"), of: record) == false)
        }
        #expect(form.change(after: KafkaError(.recordRejected, "no key"), of: record) == true)
        #expect(form.key(of: record) == Array("in 3 42".utf8))
        #expect(form.change(after: KafkaError(.recordRejected, "no key"), of: record) == false)
        // Two smaller forms of the letter are tried for any exceeded limit.
        #expect(form.change(after: KafkaError(.recordListTooLarge, "large"), of: record) == true)
        #expect(form.change(after: KafkaError(.messageTooLarge, "large"), of: record) == true)
        #expect(form.change(after: KafkaError(.messageTooLarge, "large"), of: record) == false)
        let keyed = KafkaRecord(topic: "in", partition: 3, offset: 42, key: [7], value: [1])
        var other = DeadLetterForm()
        #expect(other.change(after: KafkaError(.recordRejected, "value"), of: keyed) == false)
        #expect(other.key(of: keyed) == [7])
    }

    @Test(arguments: [
        (String(repeating: "a", count: 1024), 1024), (String(repeating: "a", count: 1025), 1024),
        // Three bytes per character: 341 characters have 1023 bytes.
        (String(repeating: "€", count: 400), 1023), ("", 0),
    ])
    func `a header's text is truncated at a character boundary`(text: String, bytes: Int) {
        let capped = DeadLetter.capped(text)
        #expect(capped.count == bytes)
        #expect(String(validating: capped, as: UTF8.self) != nil)
    }
}

struct PipelineHealthTests {
    @Test func `readiness requires a group and a broker, liveness only progress`() {
        let second: Int64 = 1_000_000_000
        var health = PipelineHealth(lastSign: 100 * second)
        #expect(health.isLive(at: 159 * second))
        #expect(!health.isLive(at: 160 * second))
        #expect(health.obstacle(at: 101 * second) == "group not joined")
        health.join()
        #expect(health.obstacle(at: 101 * second) == nil)
        health.brokersUp = 0
        #expect(health.obstacle(at: 101 * second) == "no broker connected")
        health.brokersUp = 1
        #expect(health.obstacle(at: 200 * second) == "kafka client stuck")
        health.isOver = true
        #expect(health.obstacle(at: 101 * second) == "stopping")
    }

    @Test func `a pipeline whose client has not started is live, but not ready`() {
        let health = PipelineHealth()
        #expect(health.isLive(at: .max))
        #expect(health.obstacle(at: .max) == "group not joined")
    }

    @Test func `a pipeline that is not ready reports the brokers' refusal until they accept it`() {
        var health = PipelineHealth(lastSign: 0)
        health.troubles.receive(KafkaError(.authentication, "Invalid username or password"), at: 1)
        health.troubles.receive(KafkaError(.groupAuthorizationFailed, "Group authorization failed"), at: 1)
        #expect(health.obstacle(at: 2)?.contains("group not joined: ") == true)
        #expect(health.obstacle(at: 2)?.contains("Invalid username or password. Correct kafka.sasl.username") == true)
        health.count(brokersUp: 0, at: 3)
        #expect(health.obstacle(at: 3)?.contains("Invalid username or password") == true)
        health.count(brokersUp: 1, at: 4)
        #expect(health.obstacle(at: 4)?.contains("Group authorization failed") == true)
        health.join()
        #expect(health.obstacle(at: 5) == nil)
        health.count(brokersUp: 0, at: 6)
        #expect(health.obstacle(at: 6) == "no broker connected")
    }

    @Test(arguments: [
        (KafkaError.Code.fencedInstance, ExitCode.configuration), (.fenced, .configuration),
        (.maxPollExceeded, .failure), (.fatal, .failure),
    ])
    func `two members with the same instance name end permanently, and other client failures permit a restart`(
        _ code: KafkaError.Code, _ exit: ExitCode
    ) {
        let error = StartupError.clientFailed(KafkaError(code, "text", isFatal: true))
        #expect(error.exitCode == exit)
        #expect(error.line.contains("group.instance.id") == (exit == .configuration), "\(error)")
    }
}

struct PartitionWindowTests {
    private func record(_ offset: Int64, bytes: Int = 1) -> KafkaRecord {
        KafkaRecord(
            topic: "t", partition: 0, offset: KafkaOffset(rawValue: offset), key: nil,
            value: [UInt8](repeating: 0, count: bytes))
    }

    @Test func `each limit closes the window, and finishing records opens it`() async {
        let cases: [(WindowLimits, [KafkaRecord])] = [
            (WindowLimits(records: 2, bytes: 100, distance: 100), [record(0), record(1)]),
            (WindowLimits(records: 9, bytes: 10, distance: 100), [record(0, bytes: 10)]),
            (WindowLimits(records: 9, bytes: 100, distance: 5), [record(0), record(5)]),
        ]
        for (limits, records) in cases {
            let window = PartitionWindow(limits: limits)
            #expect(window.admit(records) == records)
            async let room = window.waitForRoom()
            #expect(window.finish(records[0].offset) == 1)
            #expect(await room != nil)
        }
    }

    @Test(arguments: [1, 12, 64, 1000])
    func `the windows of all partitions stay within the total, and each has its minimum`(partitions: Int) async {
        let (total, recordBytes, least, payload) = (1 << 20, 1024, 4, 2048)
        let share = WindowShare(total: total, recordBytes: recordBytes, minimumRecords: least)
        share.begin(partitions)
        let window = PartitionWindow(
            limits: WindowLimits(records: 100_000, bytes: 1 << 30, distance: .max), share: share)
        var count = 0
        while let room = window.room {
            // Like the reader, stops adding records once the batch has this many bytes.
            let batch = min(room.records, (room.bytes + payload - 1) / payload)
            #expect(batch > 0)
            count += window.admit((0..<batch).map { record(Int64(count + $0), bytes: payload) }).count
        }
        #expect(count >= least)
        #expect(count == least || partitions * count * (payload + recordBytes) <= total + partitions * payload)
        // At least half of the total is used.
        #expect(2 * (count + 1) * (payload + recordBytes) * partitions >= total)
    }

    @Test func `when a partition ends, the others get its share`() {
        let share = WindowShare(total: 8192, recordBytes: 1024, minimumRecords: 1)
        share.begin(4)
        #expect(share.room(besides: 0, bytes: 0) == PartitionWindow.Room(records: 1, bytes: 1024))
        share.end()
        share.end()
        #expect(share.room(besides: 0, bytes: 0) == PartitionWindow.Room(records: 2, bytes: 2048))
    }

    @Test func `closing the window ends the wait for capacity`() async {
        let window = PartitionWindow(limits: WindowLimits(records: 1, bytes: 1, distance: 1))
        #expect(window.admit([record(0)]).count == 1)
        async let room = window.waitForRoom()
        window.close()
        #expect(await room == nil)
        #expect(await window.waitForRoom() == nil)
    }

    @Test func `the capacity is the unused part of the window`() async {
        let window = PartitionWindow(limits: WindowLimits(records: 10, bytes: 100, distance: 50))
        _ = window.admit([record(0, bytes: 30), record(1, bytes: 30)])
        #expect(await window.waitForRoom() == PartitionWindow.Room(records: 8, bytes: 40))
        _ = window.finish(1)
        #expect(await window.waitForRoom() == PartitionWindow.Room(records: 9, bytes: 70))
    }
}
