import Kafka
import Lifecycle
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

private struct SinkDown: InfrastructureFault {}
private struct Poison: Error {}

/// Runs on the embedded broker, where each join takes 3 s, so the tests run in parallel.
@Suite(.timeLimit(.minutes(5)))
struct PipelineConsumerTests {
    @Test func `every record is handled once, in order for each key`() async throws {
        let options = try await PipelineTestBroker.options(partitions: 4)
        try await PipelineTestBroker.write(numbers: 2000, keys: 37, to: options.topics[0])
        let handler = RecordingHandler()
        let test = try await PipelineHarness(options, .records(handler))
        try await waitUntil { handler.finished.count >= 2000 }
        await test.stop()
        let finished = handler.finished
        #expect(finished.compactMap(\.number).sorted() == Array(0..<2000))
        for (_, records) in Dictionary(grouping: finished, by: \.key) {
            let numbers = records.compactMap(\.number)
            #expect(numbers == numbers.sorted())
        }
        #expect(test.metric("sluice_consumer_records_total{outcome=\"done\"") == 2000)
    }

    @Test func `a partition is handled up to its first unfinished record`() async throws {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.write(numbers: 20, keys: 20, to: options.topics[0])
        let isHeld = Atomic(true)
        let handler = RecordingHandler { record, _ in
            record.offset == 7 && isHeld.load(ordering: .relaxed) ? .retry(after: .milliseconds(20)) : .done
        }
        let test = try await PipelineHarness(options, .records(handler))
        let partition = KafkaTopicPartition(topic: options.topics[0], partition: 0)
        #expect(test.handled.next(of: partition) == nil)
        try await waitUntil { test.metric("sluice_consumer_records_total{outcome=\"done\"") == 19 }
        try await waitUntil { test.handled.next(of: partition) == 7 }
        isHeld.store(false, ordering: .relaxed)
        try await waitUntil { test.handled.next(of: partition) == 20 }
        await test.stop()
    }

    @Test func `a restart continues where the last member stopped`() async throws {
        let options = try await PipelineTestBroker.options(partitions: 2)
        try await PipelineTestBroker.write(numbers: 100, keys: 10, to: options.topics[0])
        let first = RecordingHandler()
        let test = try await PipelineHarness(options, .records(first))
        try await waitUntil { first.finished.count == 100 }
        await test.stop()
        try await PipelineTestBroker.configuration().write([
            KafkaProducerRecord(topic: options.topics[0], key: nil, value: nil)
        ])
        let second = RecordingHandler()
        let again = try await PipelineHarness(options, .records(second))
        try await waitUntil { !second.finished.isEmpty }
        await again.stop()
        #expect(second.finished.map(\.value) == [nil])
        #expect(second.finished.map(\.key) == [nil])
    }

    @Test func `a poison record is dead-lettered and does not block`() async throws {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.configuration().write([
            KafkaProducerRecord(topic: options.topics[0], key: [1], value: Array("0".utf8)),
            KafkaProducerRecord(
                topic: options.topics[0], key: [0, 255], value: [255, 0, 1],
                headers: [
                    KafkaHeader(key: "h", value: [7, 255]),
                    KafkaHeader(
                        key: "traceparent", text: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
                ]),
            KafkaProducerRecord(topic: options.topics[0], key: nil, value: nil),
            KafkaProducerRecord(topic: options.topics[0], key: [1], value: Array("3".utf8)),
        ])
        let handler = RecordingHandler { record, _ in
            if record.offset == 1 { throw Poison() }
            return record.value == nil ? .deadLetter(HandlerReason(code: "tombstone", detail: "why")) : .done
        }
        let test = try await PipelineHarness(options, .records(handler))
        try await waitUntil { handler.finished.count == 2 }
        try await waitUntil { test.metric("sluice_consumer_records_total{outcome=\"dead-lettered\"") == 2 }
        await test.stop()
        #expect(handler.calls(for: 1) == 3)
        #expect(handler.calls(for: 2) == 1)
        #expect(test.log.lines.contains { $0.contains(#""traceId":"4bf92f3577b34da6a3ce929d0e0e4736""#) })
        let letters = try await PipelineTestBroker.deadLetters(options).sorted { $0.key != nil && $1.key == nil }
        #expect(letters.map(\.key) == [[0, 255], nil])
        #expect(letters.map(\.value) == [[255, 0, 1], nil])
        #expect(letters[0].headers.first == KafkaHeader(key: "h", value: [7, 255]))
        let text = { (name: String) in letters.map { String(decoding: $0.header(name)?.value ?? [], as: UTF8.self) } }
        #expect(text("__connect.errors.offset") == ["1", "2"])
        #expect(text("__connect.errors.topic") == [options.topics[0].rawValue, options.topics[0].rawValue])
        #expect(text("sluice.dlq.reason") == ["attempts-spent", "tombstone"])
        #expect(text("sluice.dlq.attempts") == ["3", "1"])
        #expect(text("sluice.dlq.group") == [options.group.rawValue, options.group.rawValue])
    }

    @Test func `the offset waits for the dead letter's acknowledgement`() async throws {
        var options = try await PipelineTestBroker.options()
        options.concurrency = 1
        try await PipelineTestBroker.write(numbers: 3, keys: 1, to: options.topics[0])
        let handler = RecordingHandler { record, _ in record.offset == 1 ? .deadLetter("bad") : .done }
        // The first member cannot write its dead letter.
        let attempts = Atomic(0)
        let test = try await PipelineHarness(options, .records(handler)) { _ in
            attempts.add(1, ordering: .relaxed)
            throw SinkDown()
        }
        try await waitUntil { attempts.load(ordering: .relaxed) > 3 }
        #expect(handler.finished.map(\.offset) == [0])
        await test.stop()
        #expect(test.metric("sluice_consumer_dead_letter_failures_total") ?? 0 > 3)

        let second = RecordingHandler { record, _ in record.offset == 1 ? .deadLetter("bad") : .done }
        let again = try await PipelineHarness(options, .records(second))
        try await waitUntil { second.finished.map(\.offset) == [2] }
        await again.stop()
        #expect(second.calls(for: 0) == 0)
        #expect(second.calls(for: 1) == 1)
        #expect(try await PipelineTestBroker.deadLetters(options).count == 1)
    }

    @Test func `a retry keeps the partition and the membership, and other partitions proceed`() async throws {
        let options = try await PipelineTestBroker.options(partitions: 2)
        let topic = options.topics[0]
        try await PipelineTestBroker.configuration().write(
            (0..<20).map { KafkaProducerRecord(topic: topic, partition: 0, key: [0], value: Array("\($0)".utf8)) }
                + (20..<40).map {
                    KafkaProducerRecord(topic: topic, partition: 1, key: [1], value: Array("\($0)".utf8))
                })
        let isDown = Atomic(true)
        let handler = RecordingHandler { record, number in
            guard record.partition == 0, isDown.load(ordering: .relaxed) else { return .done }
            if number % 2 == 0 { return .retry(after: .milliseconds(5)) }
            throw SinkDown()
        }
        // The retries last longer than the poll interval.
        let test = try await PipelineHarness(options, .records(handler), properties: ["max.poll.interval.ms": "3000"])
        try await waitUntil { handler.finished.count == 20 }
        #expect(handler.finished.allSatisfy { $0.partition == 1 })
        let clock = ContinuousClock()
        let start = clock.now
        try await waitUntil { clock.now - start > .seconds(5) }
        #expect(handler.calls(for: 0) > 10)
        isDown.store(false, ordering: .relaxed)
        try await waitUntil { handler.finished.count == 40 }
        #expect(handler.finished.suffix(20).compactMap(\.number) == Array(0..<20))
        #expect(test.metric("sluice_consumer_rebalances_total{kind=\"lost\"") == 0)
        #expect(test.metric("sluice_consumer_rebalances_total{kind=\"assigned\"") == 1)
        #expect(test.metric("sluice_consumer_retries_total{cause=\"infrastructure\"") ?? 0 > 10)
        await test.stop()
    }

    @Test func `a second member gets partitions only after running records have finished`() async throws {
        let options = try await PipelineTestBroker.options(partitions: 2)
        let topic = options.topics[0]
        try await PipelineTestBroker.configuration().write([
            KafkaProducerRecord(topic: topic, partition: 0, key: [0], value: Array("0".utf8)),
            KafkaProducerRecord(topic: topic, partition: 1, key: [1], value: Array("1".utf8)),
        ])
        let gate = Gate()
        let first = RecordingHandler { _, _ in
            await gate.pass()
            return .done
        }
        let one = try await PipelineHarness(options, .records(first))
        try await waitUntil { first.calls(for: 0) == 2 }
        let second = RecordingHandler()
        let two = try await PipelineHarness(options, .records(second))
        try await waitUntil { one.metric("sluice_consumer_rebalances_total{kind=\"revoked\"") == 1 }
        #expect(two.metric("sluice_consumer_assigned_partitions") == 0)
        #expect(second.finished.isEmpty)
        // A partition that is being revoked is no longer counted, although its record is still being handled.
        try await waitUntil { one.metric("sluice_consumer_assigned_partitions") ?? 2 < 2 }
        gate.open()
        try await waitUntil { two.metric("sluice_consumer_assigned_partitions") == 1 }
        try await waitUntil { one.metric("sluice_consumer_assigned_partitions") == 1 }
        try await waitUntil { first.finished.count == 2 }
        try await PipelineTestBroker.configuration().write([
            KafkaProducerRecord(topic: topic, partition: 0, key: [0], value: Array("2".utf8)),
            KafkaProducerRecord(topic: topic, partition: 1, key: [1], value: Array("3".utf8)),
        ])
        // The embedded broker may have rejected the commit at the revocation. The record is then delivered again but
        // never lost.
        try await waitUntil { Set((first.finished + second.finished).compactMap(\.number)) == [0, 1, 2, 3] }
        await two.stop()
        await one.stop()
    }

    @Test func `a member without a partition is ready`() async throws {
        let options = try await PipelineTestBroker.options()
        let one = try await PipelineHarness(options, .records(RecordingHandler()))
        try await waitUntil { one.metric("sluice_consumer_assigned_partitions") == 1 }
        let two = try await PipelineHarness(options, .records(RecordingHandler()))
        try await waitUntil { two.pipeline.obstacle == nil }
        #expect(one.metric("sluice_consumer_assigned_partitions") == 1)
        #expect(two.metric("sluice_consumer_assigned_partitions") == 0)
        #expect(two.metric("sluice_consumer_rebalances_total{kind=\"assigned\"") == 0)
        await two.stop()
        await one.stop()
    }

    @Test func `stopping finishes running records and does not start others`() async throws {
        var options = try await PipelineTestBroker.options()
        options.concurrency = 1
        try await PipelineTestBroker.write(numbers: 10, keys: 1, to: options.topics[0])
        let gate = Gate()
        let handler = RecordingHandler { _, _ in
            await gate.pass()
            return .done
        }
        let test = try await PipelineHarness(options, .records(handler))
        try await waitUntil { handler.calls(for: 0) == 1 }
        async let stopped: Void = test.stop()
        try await waitUntil { test.metric("sluice_consumer_rebalances_total{kind=\"revoked\"") == 1 }
        gate.open()
        await stopped
        #expect(handler.finished.map(\.offset) == [0])
        #expect(handler.calls(for: 1) == 0)
        let next = RecordingHandler()
        let again = try await PipelineHarness(options, .records(next))
        try await waitUntil { next.finished.count == 9 }
        await again.stop()
        #expect(next.finished.map(\.offset) == (1..<10).map { KafkaOffset(rawValue: $0) })
    }

    @Test func `a handler that does not return is abandoned at the drain limit without a commit`() async throws {
        var options = try await PipelineTestBroker.options()
        options.drainLimit = .milliseconds(300)
        try await PipelineTestBroker.write(numbers: 1, keys: 1, to: options.topics[0])
        let handler = RecordingHandler { _, _ in
            // It ends only when cancelled.
            try await untilCancelled()
        }
        let test = try await PipelineHarness(options, .records(handler))
        try await waitUntil { handler.calls(for: 0) == 1 }
        let clock = ContinuousClock()
        let start = clock.now
        await test.stop()
        #expect(clock.now - start < .seconds(5).scaled)
        #expect(test.log.lines.contains { $0.contains("releasing their partitions") })
        let next = RecordingHandler()
        let again = try await PipelineHarness(options, .records(next))
        try await waitUntil { next.finished.map(\.offset) == [0] }
        await again.stop()
    }

    @Test func `work that outlives its partition ends the process when the partition is assigned again`() async throws {
        var options = try await PipelineTestBroker.options(partitions: 2)
        options.drainLimit = .milliseconds(300)
        let topic = options.topics[0]
        try await PipelineTestBroker.configuration().write([
            KafkaProducerRecord(topic: topic, partition: 0, key: [0], value: Array("0".utf8)),
            KafkaProducerRecord(topic: topic, partition: 1, key: [1], value: Array("1".utf8)),
        ])
        // Behaves like a C call that ignores cancellation.
        let gate = Gate()
        let stuck = RecordingHandler { _, _ in
            await gate.pass()
            return .done
        }
        let one = try await PipelineHarness(options, .records(stuck))
        let running = RunHarness { try await one.pipeline.run() }
        try await waitUntil { stuck.calls(for: 0) == 2 }
        let other = RecordingHandler()
        let two = try await PipelineHarness(options, .records(other))
        try await waitUntil { other.finished.count == 1 }
        #expect(one.pipeline.obstacle == nil)
        await two.stop()
        let failure = try await running.failed()
        #expect(failure?.exitCode == .failure)
        #expect(failure?.line.contains("is still running") == true)
        #expect(one.log.lines.contains { $0.contains("work of a lost partition has not ended") })
        #expect(one.pipeline.obstacle == "stopping")
        let clock = ContinuousClock()
        let begun = clock.now
        await one.stop(within: .seconds(2))
        #expect(clock.now - begun < .seconds(4).scaled)
        gate.open()
    }

    @Test func `a slow record blocks only its own key, and nothing behind it is committed`() async throws {
        var options = try await PipelineTestBroker.options()
        options.drainLimit = .milliseconds(300)
        try await PipelineTestBroker.configuration().write(
            (0..<20).map {
                KafkaProducerRecord(
                    topic: options.topics[0], key: [UInt8($0 % 2)], value: Array("\($0)".utf8))
            })
        let handler = RecordingHandler { record, _ in
            // It ends only when cancelled.
            if record.offset == 0 { try await untilCancelled() }
            return .done
        }
        // The test lasts longer than the group's poll interval.
        let test = try await PipelineHarness(options, .records(handler), properties: ["max.poll.interval.ms": "3000"])
        try await waitUntil { handler.finished.count == 10 }
        let clock = ContinuousClock()
        let begun = clock.now
        try await waitUntil { clock.now - begun > .seconds(5) }
        #expect(handler.finished.compactMap(\.number) == (0..<10).map { 2 * $0 + 1 })
        #expect(handler.calls(for: 0) == 1)
        #expect(handler.calls(for: 2) == 0)
        #expect(test.metric("sluice_consumer_rebalances_total{kind=\"lost\"") == 0)
        await test.stop()
        let next = RecordingHandler()
        let again = try await PipelineHarness(options, .records(next))
        try await waitUntil { next.finished.count == 20 }
        await again.stop()
    }

    @Test func `retried records block only their own keys, regardless of their number`() async throws {
        var options = try await PipelineTestBroker.options()
        options.concurrency = 2
        try await PipelineTestBroker.write(numbers: 400, keys: 40, to: options.topics[0])
        // The sink is down for ten keys, five times as many as may be handled concurrently.
        let isDown = Atomic(true)
        let handler = RecordingHandler { record, _ in
            guard isDown.load(ordering: .relaxed), (record.number ?? 0) % 40 < 10 else { return .done }
            throw SinkDown()
        }
        let test = try await PipelineHarness(options, .records(handler))
        try await waitUntil { handler.finished.count == 300 }
        #expect(handler.finished.allSatisfy { ($0.number ?? 0) % 40 >= 10 })
        isDown.store(false, ordering: .relaxed)
        try await waitUntil { handler.finished.count == 400 }
        await test.stop()
        for (_, records) in Dictionary(grouping: handler.finished, by: \.key) {
            #expect(records.compactMap(\.number) == records.compactMap(\.number).sorted())
        }
    }

    @Test func `a partition in a long preparation is released immediately when the consumer stops`() async throws {
        struct Slow: RecordHandler {
            let isPreparing: Gate
            func handle(_ record: KafkaRecord) async throws -> HandlerVerdict { .done }
            func partitionAssigned(_ partition: KafkaTopicPartition) async throws {
                isPreparing.open()
                // It ends only when cancelled.
                try await untilCancelled()
            }
        }
        var options = try await PipelineTestBroker.options()
        options.drainLimit = .seconds(3600)
        let isPreparing = Gate()
        let test = try await PipelineHarness(options, .records(Slow(isPreparing: isPreparing)))
        await isPreparing.pass()
        await test.stop(within: .seconds(120))
        #expect(!test.log.lines.contains { $0.contains("drain limit") || $0.contains("prepare the partition") })
    }

    @Test func `lag and record age are reported`() async throws {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.write(numbers: 5, keys: 1, to: options.topics[0])
        let gate = Gate()
        let handler = RecordingHandler { _, _ in
            await gate.pass()
            return .done
        }
        let test = try await PipelineHarness(
            options, .records(handler), properties: ["statistics.interval.ms": "100"])
        #expect(test.pipeline.obstacle != nil)
        try await waitUntil { test.metric("sluice_consumer_lag_records") == 5 }
        try await waitUntil { test.metric("sluice_consumer_lag_seconds") ?? 0 > 0.2 }
        #expect(test.metric("sluice_consumer_oldest_unfinished_seconds") ?? 0 > 0)
        #expect(test.pipeline.obstacle == nil)
        #expect(test.pipeline.isLive)
        gate.open()
        try await waitUntil { test.metric("sluice_consumer_lag_records") == 0 }
        #expect(test.metric("sluice_consumer_lag_seconds") == 0)
        #expect(test.metric("sluice_consumer_handler_duration_seconds_count") == 5)
        await test.stop()
        #expect(test.pipeline.obstacle == "stopping")
    }

    @Test func `lag is reported before the first record of an assignment is done, and when there is none`()
        async throws
    {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.write(numbers: 5, keys: 1, to: options.topics[0])
        let often = ["statistics.interval.ms": "100"]
        let first = RecordingHandler()
        var test = try await PipelineHarness(options, .records(first), properties: often)
        try await waitUntil { first.finished.count == 5 }
        await test.stop()
        test = try await PipelineHarness(options, .records(first), properties: often)
        try await waitUntil { test.metric("sluice_consumer_lag_records") == 0 }
        await test.stop()

        try await PipelineTestBroker.write(numbers: 3, keys: 1, to: options.topics[0])
        let gate = Gate()
        let waiting = RecordingHandler { _, _ in
            await gate.pass()
            return .done
        }
        test = try await PipelineHarness(options, .records(waiting), properties: often)
        try await waitUntil { test.metric("sluice_consumer_lag_records") == 3 }
        gate.open()
        try await waitUntil { test.metric("sluice_consumer_lag_records") == 0 }
        await test.stop()
    }
}

@Suite(.timeLimit(.minutes(5)))
struct PipelineBatchTests {
    @Test func `records are delivered in batches, once and in order`() async throws {
        var options = try await PipelineTestBroker.options()
        options.maximumBatch = 50
        try await PipelineTestBroker.write(numbers: 500, keys: 1, to: options.topics[0])
        let batches = Mutex<[[Int]]>([])
        let test = try await PipelineHarness(
            options,
            .batches(
                BatchClosure { records in
                    batches.withLock { $0.append(records.compactMap(\.number)) }
                    return records.map { _ in .done }
                }))
        try await waitUntil { batches.withLock { $0.joined().count } == 500 }
        await test.stop()
        #expect(batches.withLock { Array($0.joined()) } == Array(0..<500))
        // The size of a batch depends on the fetches but never exceeds the limit.
        #expect(batches.withLock { $0.allSatisfy { (1...50).contains($0.count) } })
    }

    @Test func `batches stay within their byte limit but contain at least one record`() async throws {
        var options = try await PipelineTestBroker.options()
        options.maximumBatchBytes = 1
        try await PipelineTestBroker.write(numbers: 20, keys: 1, to: options.topics[0])
        let batches = Mutex<[[Int]]>([])
        let test = try await PipelineHarness(
            options,
            .batches(
                BatchClosure { records in
                    batches.withLock { $0.append(records.compactMap(\.number)) }
                    return records.map { _ in .done }
                }))
        try await waitUntil { batches.withLock { $0.count } == 20 }
        await test.stop()
        #expect(batches.withLock { $0 } == (0..<20).map { [$0] })
    }

    @Test func `only the record at fault is dead-lettered`() async throws {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.write(numbers: 20, keys: 1, to: options.topics[0])
        let done = Mutex<Set<Int>>([])
        let test = try await PipelineHarness(
            options,
            .batches(
                BatchClosure { records in
                    let numbers = records.compactMap(\.number)
                    if numbers.contains(7) { throw Poison() }
                    done.withLock { $0.formUnion(numbers) }
                    return records.map { _ in .done }
                }))
        try await waitUntil { done.withLock { $0.count } == 19 }
        try await waitUntil { test.metric("sluice_consumer_records_total{outcome=\"dead-lettered\"") == 1 }
        await test.stop()
        #expect(try await PipelineTestBroker.deadLetters(options).compactMap(\.number) == [7])
        #expect(done.withLock { $0 } == Set(0..<20).subtracting([7]))
    }

    @Test func `the dead letters of a batch are sent together`() async throws {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.write(numbers: 20, keys: 1, to: options.topics[0])
        let sent = Atomic(0)
        let all = Gate()
        let batches = Mutex<[Int]>([])
        let test = try await PipelineHarness(
            options,
            .batches(
                BatchClosure { records in
                    batches.withLock { $0.append(records.count) }
                    return records.map { _ in .deadLetter("bad") }
                })
        ) { _ in
            // No dead letter is acknowledged before the last one of the first batch is sent.
            if sent.add(1, ordering: .relaxed).newValue == batches.withLock({ $0.first }) { all.open() }
            await all.pass()
        }
        try await waitUntil { test.metric("sluice_consumer_records_total{outcome=\"dead-lettered\"") == 20 }
        await test.stop()
    }

    @Test func `the records of a batch are delivered again from the first retry on`() async throws {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.write(numbers: 10, keys: 1, to: options.topics[0])
        let calls = Mutex<[[Int]]>([])
        let test = try await PipelineHarness(
            options,
            .batches(
                BatchClosure { records in
                    let numbers = records.compactMap(\.number)
                    let isFirst = calls.withLock { calls in
                        calls.append(numbers)
                        return !calls.dropLast().contains { $0.contains(4) }
                    }
                    return numbers.map { number in
                        switch number {
                        case 2: .skip("two")
                        case 4 where isFirst: .retry(after: .milliseconds(1))
                        default: .done
                        }
                    }
                }))
        try await waitUntil { test.metric("sluice_consumer_records_total{outcome=\"done\"") == 9 }
        await test.stop()
        // The end of a batch depends on the fetches.
        let withFour = calls.withLock { $0 }.filter { $0.contains(4) }
        #expect(withFour.count == 2)
        #expect(withFour.last?.first == 4)
        #expect(withFour.first?.drop { $0 < 4 } == withFour.last?.prefix(withFour.first?.count { $0 >= 4 } ?? 0))
        #expect(test.metric("sluice_consumer_records_total{outcome=\"skipped\"") == 1)
        #expect(test.metric("sluice_consumer_reasons_total{outcome=\"skipped\",reason=\"two\"") == 1)
    }

    @Test func `while a sink is down, the same batch is retried and nothing is dead-lettered`() async throws {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.write(numbers: 5, keys: 1, to: options.topics[0])
        let calls = Mutex(0)
        let done = Mutex<[Int]>([])
        let test = try await PipelineHarness(
            options,
            .batches(
                BatchClosure { records in
                    let call = calls.withLock { calls in
                        calls += 1
                        return calls
                    }
                    if call < 10 { throw SinkDown() }
                    done.withLock { $0 += records.compactMap(\.number) }
                    return records.map { _ in .done }
                }))
        try await waitUntil { done.withLock { $0.count } >= 5 }
        await test.stop()
        #expect(done.withLock { $0 } == Array(0..<5))
        #expect(test.metric("sluice_consumer_records_total{outcome=\"dead-lettered\"") == 0)
    }

    @Test func `a wrong number of verdicts is treated as the record's fault`() async throws {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.write(numbers: 2, keys: 1, to: options.topics[0])
        let test = try await PipelineHarness(options, .batches(BatchClosure { _ in [] }))
        try await waitUntil { test.metric("sluice_consumer_records_total{outcome=\"dead-lettered\"") == 2 }
        await test.stop()
        let letters = try await PipelineTestBroker.deadLetters(options)
        #expect(letters.compactMap(\.number) == [0, 1])
        #expect(
            letters[0].header("__connect.errors.exception.class.name")?.value == Array("WrongNumberOfVerdicts".utf8))
    }
}
