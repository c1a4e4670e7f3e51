import Kafka
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct KafkaConsumerCloseTests {
    @Test func `a consumer that was never started can be released or closed`() async throws {
        let consumer = KafkaConsumer(
            try ConsumerTestBroker.configuration(), source: .group("never", topics: ["none"])
        ) { _ in }
        #expect(await consumer.close(within: .seconds(1)))
        await #expect(throws: KafkaError.self) { try await consumer.start() }
    }

    @Test func `closing before the first assignment finishes in time`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        let member = try await ConsumerHarness(.group("early", topics: [topic]))
        // Closing waits for the first assignment and then revokes it.
        async let released: Void = {
            try await waitUntil { !member.noted.assigned.isEmpty }
            for partition in member.noted.assigned { await partition.release() }
        }()
        #expect(await member.consumer.close(within: .seconds(12)))
        try await released
    }

    @Test func `closing without any broker finishes in time`() async throws {
        let consumer = KafkaConsumer(
            try KafkaConfiguration(bootstrapServers: "127.0.0.1:1", profile: .embedded),
            source: .group("alone", topics: ["none"])
        ) { _ in }
        try await consumer.start()
        _ = await consumer.close(within: .seconds(4))
    }

    @Test func `closing ends waiting readers, and closing twice closes once`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        let member = try await ConsumerHarness(.group("twice", topics: [topic]))
        let partition = try #require(try await member.assigned(1).first)
        let reader = Task {
            let records = await partition.next(maxRecords: 1)
            await partition.release()
            return records
        }
        async let one = member.consumer.close(within: .seconds(10))
        async let two = member.consumer.close(within: .seconds(10))
        #expect(await reader.value == nil)
        let results = await (one, two)
        #expect(results.0 && results.1)
        #expect(await partition.next(maxRecords: 1) == nil)
        #expect(await member.consumer.close(within: .seconds(1)))
    }
}
