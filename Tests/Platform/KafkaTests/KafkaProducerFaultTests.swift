import KafkaDevBroker
import TestSupport
import Testing

@testable import Kafka

/// Tests with faults of the embedded broker. Only one request is in flight, because the broker ignores sequence
/// numbers.
@Suite(.timeLimit(.minutes(5))) struct KafkaProducerFaultTests {
    @Test(arguments: [3, 5, 6, 7, 8, 9, 14, 15, 16, 19, 20, 56, 59] as [Int32])
    func `a record that a broker refuses temporarily is stored later`(code: Int32) async throws {
        let harness = try EmbeddedHarness(partitions: 1)
        #expect(await eventually { harness.producer.status.isReady })
        try harness.broker.failNext(.produce, with: [KafkaError.Code(rawValue: code)])
        let outcomes = Outcomes()
        for number in 0..<20 { harness.producer.send(harness.record(number), completion: outcomes.completion(number)) }
        #expect(await eventually { outcomes.count == 20 })
        #expect(outcomes.delivered == Array(0..<20))
        #expect(try await harness.storedNumbers() == Array(0..<20))
        #expect(harness.producer.status.generation == 1)
        await harness.close()
    }

    @Test(arguments: [KafkaError.Code.topicAuthorizationFailed, .messageTooLarge])
    func `a record that a broker refuses permanently is reported as not stored`(code: KafkaError.Code) async throws {
        let harness = try EmbeddedHarness(partitions: 1)
        #expect(await eventually { harness.producer.status.isReady })
        try harness.broker.failNext(.produce, with: [code])
        let error = await #expect(throws: KafkaError.self) { try await harness.producer.send(harness.record(0)) }
        #expect(error?.code == code)
        #expect(error?.persistence == .no)
        await harness.close()
    }

    @Test func `records survive a broken connection, a leader change and a period without a leader`() async throws {
        let harness = try EmbeddedHarness(partitions: 1, brokers: 2)
        let place = KafkaTopicPartition(topic: harness.topic, partition: 0)
        let outcomes = Outcomes()
        for number in 0..<60 {
            switch number {
            case 10: try harness.broker.failNext(.produce, with: [.transport])
            case 20: try harness.broker.setLeader(of: place, to: 2)
            case 30: try harness.broker.setLeader(of: place, to: nil)
            case 40: try harness.broker.setLeader(of: place, to: 1)
            default: break
            }
            harness.producer.send(harness.record(number, key: "k"), completion: outcomes.completion(number))
        }
        #expect(await eventually { outcomes.count == 60 })
        #expect(outcomes.delivered == Array(0..<60))
        #expect(try await harness.storedNumbers() == Array(0..<60))
        await harness.close()
    }

    @Test func `the caller's deadline ends the send although the report arrives later`() async throws {
        let harness = try EmbeddedHarness(partitions: 1)
        #expect(await eventually { harness.producer.status.isReady })
        try harness.broker.setRoundTripTime(.seconds(6))
        let outcomes = Outcomes()
        harness.producer.send(
            harness.record(0), deadline: .milliseconds(100), completion: outcomes.completion(0))
        #expect(await eventually { outcomes.count == 1 })
        #expect(outcomes.errors.map(\.code) == [.deadlineExceeded])
        #expect(outcomes.errors.map(\.persistence) == [.maybe])
        // The record is still in librdkafka, so it is counted as in flight.
        #expect(harness.producer.status.recordsInFlight == 1)
        #expect(await eventually { harness.producer.status.lateReports == 1 })
        #expect(harness.producer.status.recordsInFlight == 0)
        #expect(harness.producer.status.bytesInFlight == 0)
        #expect(outcomes.isEachAnsweredOnce)
        try harness.broker.setRoundTripTime(.zero)
        #expect(try await harness.storedNumbers() == [0])
        await harness.close()
    }

    @Test func `deadlines of different lengths fire in order`() async throws {
        let harness = try EmbeddedHarness(partitions: 1)
        #expect(await eventually { harness.producer.status.isReady })
        try harness.broker.setRoundTripTime(.seconds(20))
        let outcomes = Outcomes()
        harness.producer.send(harness.record(0), deadline: .seconds(3), completion: outcomes.completion(0))
        harness.producer.send(harness.record(1), deadline: .milliseconds(30), completion: outcomes.completion(1))
        harness.producer.send(harness.record(2), deadline: nil, completion: outcomes.completion(2))
        #expect(await eventually { outcomes.count == 1 })
        #expect(outcomes.all.keys.sorted() == [1])
        #expect(await eventually { outcomes.count == 2 })
        #expect(outcomes.all.keys.sorted() == [0, 1])
        await harness.producer.close(within: .zero)
        await harness.broker.stop()
    }

    @Test func `records over the limit are refused until reports have arrived`() async throws {
        var options = KafkaProducer.Options()
        options.maxRecordsInFlight = 3
        let harness = try EmbeddedHarness(partitions: 1, options: options)
        #expect(await eventually { harness.producer.status.isReady })
        try harness.broker.setRoundTripTime(.seconds(2))
        let outcomes = Outcomes()
        for number in 0..<5 { harness.producer.send(harness.record(number), completion: outcomes.completion(number)) }
        #expect(outcomes.errors.map(\.code) == [.tooManyInFlight, .tooManyInFlight])
        #expect(outcomes.errors.allSatisfy { $0.isRetriable })
        #expect(await eventually { outcomes.count == 5 })
        #expect(outcomes.delivered == [0, 1, 2])
        _ = try await harness.producer.send(harness.record(5))
        await harness.close()
    }

    @Test func `a partition with an overdue record refuses records until the report, and others do not`()
        async throws
    {
        var options = KafkaProducer.Options()
        options.slowAfter = .milliseconds(200)
        let harness = try EmbeddedHarness(partitions: 4, options: options)
        #expect(await eventually { harness.producer.status.isReady })
        let slow = "a"
        let other = try #require(
            ["b", "c", "d", "e", "f"].first { key in
                KafkaPartition(ofKey: Array(key.utf8), partitions: 4)
                    != KafkaPartition(ofKey: Array(slow.utf8), partitions: 4)
            })
        try harness.broker.setRoundTripTime(.seconds(2))
        let (first, others, later) = (Outcomes(), Outcomes(), Outcomes())
        harness.producer.send(harness.record(0, key: slow), completion: first.completion(0))
        var number = 0
        let isRefused = await eventually {
            number += 1
            harness.producer.send(harness.record(number, key: slow), completion: later.completion(number))
            return later.errors.contains { $0.code == .partitionSlow && $0.persistence == .no && $0.isRetriable }
        }
        #expect(isRefused)
        #expect(first.count == 0)
        harness.producer.send(harness.record(1000, key: other), completion: others.completion(1000))
        #expect(others.errors.isEmpty)
        try harness.broker.setRoundTripTime(.zero)
        #expect(await eventually { first.delivered == [0] && others.delivered == [1000] && later.count == number })
        _ = try await harness.producer.send(harness.record(2000, key: slow))
        #expect(later.isEachAnsweredOnce)
        await harness.close()
    }

    @Test func `bytes over the limit are refused`() async throws {
        var options = KafkaProducer.Options()
        options.maxBytesInFlight = 2000
        let harness = try EmbeddedHarness(partitions: 1, options: options)
        let record = KafkaProducerRecord(topic: harness.topic, key: nil, value: [UInt8](repeating: 1, count: 1500))
        #expect(await eventually { harness.producer.status.isReady })
        let outcomes = Outcomes()
        try harness.broker.setRoundTripTime(.seconds(2))
        harness.producer.send(record, completion: outcomes.completion(0))
        harness.producer.send(record, completion: outcomes.completion(1))
        #expect(await eventually { outcomes.count == 2 })
        #expect(outcomes.delivered == [0])
        #expect(outcomes.errors.map(\.code) == [.tooManyInFlight])
        #expect(harness.producer.status.bytesInFlight == 0)
        await harness.close()
    }

    @Test func `a full queue in librdkafka causes the same error`() async throws {
        let harness = try EmbeddedHarness(partitions: 1, properties: ["queue.buffering.max.messages": "2"])
        #expect(await eventually { harness.producer.status.isReady })
        try harness.broker.setRoundTripTime(.seconds(30))
        let outcomes = Outcomes()
        for number in 0..<4 { harness.producer.send(harness.record(number), completion: outcomes.completion(number)) }
        #expect(outcomes.errors.map(\.code) == [.tooManyInFlight, .tooManyInFlight])
        await harness.producer.close(within: .zero)
        #expect(outcomes.count == 4)
        #expect(outcomes.isEachAnsweredOnce)
        await harness.broker.stop()
    }

    @Test func `a fatal error replaces the client, and later sends succeed`() async throws {
        let harness = try EmbeddedHarness()
        #expect(await eventually { harness.producer.status.isReady })
        let outcomes = Outcomes()
        try harness.broker.setRoundTripTime(.milliseconds(500))
        for number in 0..<50 { harness.producer.send(harness.record(number), completion: outcomes.completion(number)) }
        harness.producer.failFatally()
        #expect(await eventually { !harness.producer.status.isReady })
        #expect(await eventually { outcomes.count == 50 })
        #expect(outcomes.isEachAnsweredOnce)
        #expect(outcomes.errors.allSatisfy { $0.code == .producerReplaced && $0.isRetriable })
        try harness.broker.setRoundTripTime(.zero)
        #expect(await eventually { harness.producer.status.generation == 2 && harness.producer.status.isReady })
        _ = try await harness.producer.send(harness.record(50))
        let replaced = harness.events.all.contains {
            if case .producerReplaced(generation: 2, let error) = $0 { error.isFatal } else { false }
        }
        #expect(replaced)
        let stored = try await harness.storedNumbers()
        #expect(Set(stored).isSuperset(of: outcomes.delivered + [50]))
        #expect(harness.producer.status.recordsInFlight == 0)
        await harness.close()
    }

    @Test func `a send that encounters the fatal error itself is refused and the client is replaced`() async throws {
        let harness = try EmbeddedHarness()
        #expect(await eventually { harness.producer.status.isReady })
        try harness.broker.failNext(.produce, with: [.outOfOrderSequence])
        let error = await #expect(throws: KafkaError.self) { try await harness.producer.send(harness.record(0)) }
        #expect(
            error.map { [.producerReplaced, .outOfOrderSequence, .fatal, .purgedFromQueue].contains($0.code) } == true)
        #expect(await eventually { harness.producer.status.generation == 2 })
        #expect(await eventually { (try? await harness.producer.send(harness.record(1))) != nil })
        await harness.close()
    }

    @Test func `without a broker, sends are refused at once until the broker returns`() async throws {
        let harness = try EmbeddedHarness(partitions: 1, properties: ["statistics.interval.ms": "200"])
        _ = try await harness.producer.send(harness.record(0))
        try harness.broker.setDown()
        #expect(await eventually { !harness.producer.isAvailable })
        // One of these sends may be the current second's probe.
        let outcomes = Outcomes()
        for number in 1...5 { harness.producer.send(harness.record(number), completion: outcomes.completion(number)) }
        #expect(outcomes.errors.count >= 4)
        #expect(outcomes.errors.allSatisfy { $0.code == .brokersUnavailable })
        try harness.broker.setUp()
        #expect(await eventually { harness.producer.isAvailable })
        _ = try await harness.producer.send(harness.record(6))
        await harness.close()
    }
}
