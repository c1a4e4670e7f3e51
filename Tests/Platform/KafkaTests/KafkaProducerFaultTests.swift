import KafkaDevBroker
import TestSupport
import Testing

@testable import Kafka

/// Faults of the embedded broker; one request in flight, because it does not look at sequence numbers.
@Suite(.timeLimit(.minutes(5))) struct KafkaProducerFaultTests {
    @Test(arguments: [3, 5, 6, 7, 8, 9, 14, 15, 16, 19, 20, 56, 59] as [Int32])
    func `a record that a broker refuses for the moment is stored all the same`(code: Int32) async throws {
        let fixture = try EmbeddedFixture(partitions: 1)
        #expect(await eventually { fixture.producer.status.isReady })
        try fixture.broker.failNext(.produce, with: [KafkaError.Code(rawValue: code)])
        let outcomes = Outcomes()
        for number in 0..<20 { fixture.producer.send(fixture.record(number), completion: outcomes.completion(number)) }
        #expect(await eventually { outcomes.count == 20 })
        #expect(outcomes.delivered == Array(0..<20))
        #expect(try await fixture.storedNumbers() == Array(0..<20))
        #expect(fixture.producer.status.generation == 1)
        await fixture.close()
    }

    @Test(arguments: [KafkaError.Code.topicAuthorizationFailed, .messageTooLarge])
    func `a record that a broker refuses for good is reported as not stored`(code: KafkaError.Code) async throws {
        let fixture = try EmbeddedFixture(partitions: 1)
        #expect(await eventually { fixture.producer.status.isReady })
        try fixture.broker.failNext(.produce, with: [code])
        let error = await #expect(throws: KafkaError.self) { try await fixture.producer.send(fixture.record(0)) }
        #expect(error?.code == code)
        #expect(error?.persistence == .no)
        await fixture.close()
    }

    @Test func `records survive a broken connection, a moved leader and a pause without leader`() async throws {
        let fixture = try EmbeddedFixture(partitions: 1, brokers: 2)
        let place = KafkaTopicPartition(topic: fixture.topic, partition: 0)
        let outcomes = Outcomes()
        for number in 0..<60 {
            switch number {
            case 10: try fixture.broker.failNext(.produce, with: [.transport])
            case 20: try fixture.broker.setLeader(of: place, to: 2)
            case 30: try fixture.broker.setLeader(of: place, to: nil)
            case 40: try fixture.broker.setLeader(of: place, to: 1)
            default: break
            }
            fixture.producer.send(fixture.record(number, key: "k"), completion: outcomes.completion(number))
        }
        #expect(await eventually { outcomes.count == 60 })
        #expect(outcomes.delivered == Array(0..<60))
        #expect(try await fixture.storedNumbers() == Array(0..<60))
        await fixture.close()
    }

    @Test func `the caller's deadline answers although the report comes later`() async throws {
        let fixture = try EmbeddedFixture(partitions: 1)
        #expect(await eventually { fixture.producer.status.isReady })
        try fixture.broker.setRoundTripTime(.seconds(6))
        let outcomes = Outcomes()
        fixture.producer.send(
            fixture.record(0), deadline: .milliseconds(100), completion: outcomes.completion(0))
        #expect(await eventually { outcomes.count == 1 })
        #expect(outcomes.errors.map(\.code) == [.deadlineExceeded])
        #expect(outcomes.errors.map(\.persistence) == [.maybe])
        // The record is still in librdkafka, so it still counts.
        #expect(fixture.producer.status.recordsInFlight == 1)
        #expect(await eventually { fixture.producer.status.lateReports == 1 })
        #expect(fixture.producer.status.recordsInFlight == 0)
        #expect(fixture.producer.status.bytesInFlight == 0)
        #expect(outcomes.isEachAnsweredOnce)
        try fixture.broker.setRoundTripTime(.zero)
        #expect(try await fixture.storedNumbers() == [0])
        await fixture.close()
    }

    @Test func `deadlines of different length each fire in their turn`() async throws {
        let fixture = try EmbeddedFixture(partitions: 1)
        #expect(await eventually { fixture.producer.status.isReady })
        try fixture.broker.setRoundTripTime(.seconds(20))
        let outcomes = Outcomes()
        fixture.producer.send(fixture.record(0), deadline: .seconds(3), completion: outcomes.completion(0))
        fixture.producer.send(fixture.record(1), deadline: .milliseconds(30), completion: outcomes.completion(1))
        fixture.producer.send(fixture.record(2), deadline: nil, completion: outcomes.completion(2))
        #expect(await eventually { outcomes.count == 1 })
        #expect(outcomes.all.keys.sorted() == [1])
        #expect(await eventually { outcomes.count == 2 })
        #expect(outcomes.all.keys.sorted() == [0, 1])
        await fixture.producer.close(within: .zero)
        await fixture.broker.stop()
    }

    @Test func `more records than admitted are refused until reports make room`() async throws {
        var options = KafkaProducer.Options()
        options.maxRecordsInFlight = 3
        let fixture = try EmbeddedFixture(partitions: 1, options: options)
        #expect(await eventually { fixture.producer.status.isReady })
        try fixture.broker.setRoundTripTime(.seconds(2))
        let outcomes = Outcomes()
        for number in 0..<5 { fixture.producer.send(fixture.record(number), completion: outcomes.completion(number)) }
        #expect(outcomes.errors.map(\.code) == [.tooManyInFlight, .tooManyInFlight])
        #expect(outcomes.errors.allSatisfy { $0.isRetriable })
        #expect(await eventually { outcomes.count == 5 })
        #expect(outcomes.delivered == [0, 1, 2])
        _ = try await fixture.producer.send(fixture.record(5))
        await fixture.close()
    }

    @Test func `more bytes than admitted are refused`() async throws {
        var options = KafkaProducer.Options()
        options.maxBytesInFlight = 2000
        let fixture = try EmbeddedFixture(partitions: 1, options: options)
        let record = KafkaProducerRecord(topic: fixture.topic, key: nil, value: [UInt8](repeating: 1, count: 1500))
        #expect(await eventually { fixture.producer.status.isReady })
        let outcomes = Outcomes()
        try fixture.broker.setRoundTripTime(.seconds(2))
        fixture.producer.send(record, completion: outcomes.completion(0))
        fixture.producer.send(record, completion: outcomes.completion(1))
        #expect(await eventually { outcomes.count == 2 })
        #expect(outcomes.delivered == [0])
        #expect(outcomes.errors.map(\.code) == [.tooManyInFlight])
        #expect(fixture.producer.status.bytesInFlight == 0)
        await fixture.close()
    }

    @Test func `librdkafka's own full queue is the same error`() async throws {
        let fixture = try EmbeddedFixture(partitions: 1, properties: ["queue.buffering.max.messages": "2"])
        #expect(await eventually { fixture.producer.status.isReady })
        try fixture.broker.setRoundTripTime(.seconds(30))
        let outcomes = Outcomes()
        for number in 0..<4 { fixture.producer.send(fixture.record(number), completion: outcomes.completion(number)) }
        #expect(outcomes.errors.map(\.code) == [.tooManyInFlight, .tooManyInFlight])
        await fixture.producer.close(within: .zero)
        #expect(outcomes.count == 4)
        #expect(outcomes.isEachAnsweredOnce)
        await fixture.broker.stop()
    }

    @Test func `a fatal error replaces the client and later sends go through`() async throws {
        let fixture = try EmbeddedFixture()
        #expect(await eventually { fixture.producer.status.isReady })
        let outcomes = Outcomes()
        try fixture.broker.setRoundTripTime(.milliseconds(500))
        for number in 0..<50 { fixture.producer.send(fixture.record(number), completion: outcomes.completion(number)) }
        fixture.producer.failFatally()
        #expect(await eventually { !fixture.producer.status.isReady })
        #expect(await eventually { outcomes.count == 50 })
        #expect(outcomes.isEachAnsweredOnce)
        #expect(outcomes.errors.allSatisfy { $0.code == .producerReplaced && $0.isRetriable })
        try fixture.broker.setRoundTripTime(.zero)
        #expect(await eventually { fixture.producer.status.generation == 2 && fixture.producer.status.isReady })
        _ = try await fixture.producer.send(fixture.record(50))
        let replaced = fixture.events.all.contains {
            if case .producerReplaced(generation: 2, let error) = $0 { error.isFatal } else { false }
        }
        #expect(replaced)
        let stored = try await fixture.storedNumbers()
        #expect(Set(stored).isSuperset(of: outcomes.delivered + [50]))
        #expect(fixture.producer.status.recordsInFlight == 0)
        await fixture.close()
    }

    @Test func `a send that meets the fatal error itself is refused and the client replaced`() async throws {
        let fixture = try EmbeddedFixture()
        #expect(await eventually { fixture.producer.status.isReady })
        try fixture.broker.failNext(.produce, with: [.outOfOrderSequence])
        let error = await #expect(throws: KafkaError.self) { try await fixture.producer.send(fixture.record(0)) }
        #expect(
            error.map { [.producerReplaced, .outOfOrderSequence, .fatal, .purgedFromQueue].contains($0.code) } == true)
        #expect(await eventually { fixture.producer.status.generation == 2 })
        #expect(await eventually { (try? await fixture.producer.send(fixture.record(1))) != nil })
        await fixture.close()
    }

    @Test func `without a broker sends are refused at once until it is back`() async throws {
        let fixture = try EmbeddedFixture(partitions: 1, properties: ["statistics.interval.ms": "200"])
        _ = try await fixture.producer.send(fixture.record(0))
        try fixture.broker.setDown()
        #expect(await eventually { !fixture.producer.isAvailable })
        // One of these may be the probe of this second.
        let outcomes = Outcomes()
        for number in 1...5 { fixture.producer.send(fixture.record(number), completion: outcomes.completion(number)) }
        #expect(outcomes.errors.count >= 4)
        #expect(outcomes.errors.allSatisfy { $0.code == .brokersUnavailable })
        try fixture.broker.setUp()
        #expect(await eventually { fixture.producer.isAvailable })
        _ = try await fixture.producer.send(fixture.record(6))
        await fixture.close()
    }
}
