import Kafka
import KafkaDevBroker
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct KafkaProducerTests {
    @Test func `each send is completed once, by its own record's report`() async throws {
        let harness = try EmbeddedHarness()
        let outcomes = Outcomes()
        for number in 0..<1000 {
            harness.producer.send(
                harness.record(number, key: "key-\(number % 37)"), completion: outcomes.completion(number))
        }
        #expect(await eventually { outcomes.count == 1000 })
        #expect(outcomes.isEachAnsweredOnce)
        #expect(outcomes.errors.isEmpty)

        let stored = try await records(of: harness.topic, partitions: harness.partitions, at: harness.configuration)
        for record in stored {
            let number = try #require(Int(String(decoding: record.value ?? [], as: UTF8.self)))
            let expected = KafkaDelivery(topic: harness.topic, partition: record.partition, offset: record.offset)
            #expect(try outcomes.all[number]?.first?.get() == expected)
        }
        #expect(stored.count == 1000)
        await harness.close()
    }

    @Test func `records of a key keep their order`() async throws {
        let harness = try EmbeddedHarness()
        let outcomes = Outcomes()
        for number in 0..<500 {
            harness.producer.send(
                harness.record(number, key: "key-\(number % 11)"), completion: outcomes.completion(number))
        }
        #expect(await eventually { outcomes.count == 500 })
        let stored = try await records(of: harness.topic, partitions: harness.partitions, at: harness.configuration)
        let byKey = Dictionary(grouping: stored) { $0.key }
        #expect(byKey.count == 11)
        for (_, records) in byKey {
            #expect(Set(records.map(\.partition)).count == 1)
            let numbers = records.compactMap { Int(String(decoding: $0.value ?? [], as: UTF8.self)) }
            #expect(numbers == numbers.sorted())
        }
        await harness.close()
    }

    @Test func `null and empty keys, values and headers are stored as sent`() async throws {
        let harness = try EmbeddedHarness(partitions: 1)
        let headers = [
            KafkaHeader(key: "a", text: "1"), KafkaHeader(key: "a", text: "2"), KafkaHeader(key: "null", value: nil),
            KafkaHeader(key: "empty", value: []), KafkaHeader(key: "binary", value: [0, 255, 0]),
        ]
        let sent = [
            KafkaProducerRecord(topic: harness.topic, key: nil, value: nil),
            KafkaProducerRecord(topic: harness.topic, key: [], value: []),
            KafkaProducerRecord(
                topic: harness.topic, timestampMilliseconds: 1_700_000_000_123, key: [0], value: [0, 1]),
            KafkaProducerRecord(topic: harness.topic, partition: 0, key: [1], value: nil, headers: headers),
        ]
        for record in sent { _ = try await harness.producer.send(record) }
        let stored = try await records(of: harness.topic, partitions: 1, at: harness.configuration)
        #expect(stored.map(\.key) == sent.map(\.key))
        #expect(stored.map(\.value) == sent.map(\.value))
        #expect(stored.map(\.headers) == sent.map(\.headers))
        #expect(stored[2].timestampMilliseconds == 1_700_000_000_123)
        await harness.close()
    }

    @Test func `a send to an undeclared topic is refused at once`() async throws {
        let harness = try EmbeddedHarness()
        let error = await #expect(throws: KafkaError.self) {
            try await harness.producer.send(KafkaProducerRecord(topic: "other", key: nil, value: []))
        }
        #expect(error?.code == .undeclaredTopic)
        #expect(error?.persistence == .no)
        await harness.close()
    }

    @Test func `a record over the limit is refused and not stored`() async throws {
        let harness = try EmbeddedHarness()
        let large = KafkaProducerRecord(topic: harness.topic, key: nil, value: [UInt8](repeating: 0, count: 1_000_001))
        let error = await #expect(throws: KafkaError.self) { try await harness.producer.send(large) }
        #expect(error?.code == .messageTooLarge)
        #expect(harness.producer.status.recordsInFlight == 0)
        await harness.close()
    }

    @Test func `a record that alone exceeds the bytes in flight is refused permanently`() async throws {
        var options = KafkaProducer.Options()
        options.maxBytesInFlight = 1000
        let configuration = try KafkaConfiguration(bootstrapServers: "127.0.0.1:1", profile: .embedded)
        let producer = try KafkaProducer(configuration, topics: ["a"], options: options)
        let large = KafkaProducerRecord(topic: "a", key: nil, value: [UInt8](repeating: 0, count: 1000))
        let error = await #expect(throws: KafkaError.self) { try await producer.send(large) }
        #expect(error?.code == .messageTooLarge)
        #expect(error?.isRetriable == false)
        await producer.close(within: .zero)
    }

    @Test func `the producer is ready when the brokers know all topics`() async throws {
        let harness = try EmbeddedHarness()
        #expect(await eventually { harness.producer.status.isReady })
        #expect(harness.producer.status.missingTopics.isEmpty)
        #expect(harness.producer.status.isAvailable)
        await harness.close()
        #expect(!harness.producer.status.isReady)
    }

    @Test func `the producer is not ready while no broker responds`() async throws {
        let configuration = try KafkaConfiguration(bootstrapServers: "127.0.0.1:1", profile: .embedded)
        let producer = try KafkaProducer(configuration, topics: ["a"])
        #expect(await eventually { !producer.status.isAvailable })
        #expect(!producer.status.isReady)
        #expect(producer.status.missingTopics == ["a"])
        await producer.close(within: .zero)
    }

    @Test func `close waits for everything in flight and loses nothing`() async throws {
        let harness = try EmbeddedHarness()
        try harness.broker.setRoundTripTime(.milliseconds(200))
        let outcomes = Outcomes()
        for number in 0..<300 {
            harness.producer.send(harness.record(number), completion: outcomes.completion(number))
        }
        await harness.producer.close(within: .seconds(20))
        #expect(outcomes.delivered == Array(0..<300))
        #expect(outcomes.isEachAnsweredOnce)
        harness.producer.send(harness.record(300), completion: outcomes.completion(300))
        #expect(outcomes.errors.map(\.code) == [.closed])
        try harness.broker.setRoundTripTime(.zero)
        #expect(try await harness.storedNumbers().sorted() == Array(0..<300))
        await harness.broker.stop()
    }

    @Test func `close at its timeout completes the remaining sends`() async throws {
        let harness = try EmbeddedHarness()
        #expect(await eventually { harness.producer.status.isReady })
        try harness.broker.setRoundTripTime(.seconds(30))
        let outcomes = Outcomes()
        for number in 0..<10 { harness.producer.send(harness.record(number), completion: outcomes.completion(number)) }
        let start = ContinuousClock.now
        await harness.producer.close(within: .milliseconds(100))
        #expect(ContinuousClock.now - start < .seconds(25))
        #expect(outcomes.count == 10)
        #expect(outcomes.isEachAnsweredOnce)
        #expect(outcomes.errors.allSatisfy { $0.persistence != .yes })
        await harness.broker.stop()
    }

    @Test func `a producer that is released without close completes its sends`() async throws {
        let broker = try DevBroker(topics: ["a": 1])
        let configuration = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        try broker.setRoundTripTime(.seconds(30))
        let outcomes = Outcomes()
        do {
            let producer = try KafkaProducer(configuration, topics: ["a"])
            producer.send(KafkaProducerRecord(topic: "a", key: nil, value: [1]), completion: outcomes.completion(0))
        }
        #expect(await eventually { outcomes.count == 1 })
        #expect(outcomes.errors.map(\.code) == [.closed])
        await broker.stop()
    }
}
