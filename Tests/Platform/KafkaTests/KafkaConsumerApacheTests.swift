import Kafka
import Synchronization
import TestSupport
import Testing

/// Consumer tests in the Apache Kafka suite. They run serially, because one test in the suite kills the broker.
extension ApacheKafkaTests {
    private static func makeTopic(partitions: Int, settings: [String: String] = [:]) async throws -> KafkaTopic {
        let topic = KafkaTopic.unique("consumer")
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: await ApacheKafka.shared().bootstrapServers))
        let new = KafkaNewTopic(topic: topic, partitions: partitions, replicationFactor: 1, configuration: settings)
        #expect(try await admin.createTopics([new]).isEmpty)
        await admin.close(within: .seconds(2))
        return topic
    }

    private static func member(
        _ group: KafkaConsumerGroup, _ topic: KafkaTopic, options: KafkaConsumer.Options = KafkaConsumer.Options()
    ) async throws -> ConsumerHarness {
        try await ConsumerHarness(
            .group(group, topics: [topic]),
            properties: ["session.timeout.ms": "6000", "heartbeat.interval.ms": "1000", "fetch.wait.max.ms": "100"],
            options: options, bootstrapServers: await ApacheKafka.shared().bootstrapServers, profile: .production)
    }

    /// Reads all of a member's assignments until the member closes, and stores the offset after each batch.
    private static func work(_ member: ConsumerHarness, into log: ReadLog) -> Task<Void, Never> {
        // The test awaits the task after closing the member.
        Task {
            await withDiscardingTaskGroup { group in
                var seen: Set<UInt64> = []
                while !Task.isCancelled {
                    for partition in member.noted.assigned where seen.insert(partition.epoch).inserted {
                        group.addTask {
                            while let records = await partition.next(maxRecords: 20) {
                                log.append(records)
                                guard let last = records.last else { continue }
                                await partition.store(nextOffset: KafkaOffset(rawValue: last.offset.rawValue + 1))
                            }
                            await partition.release()
                        }
                    }
                    try? await Task.sleep(for: .milliseconds(5))
                }
            }
        }
    }

    private final class ReadLog: Sendable {
        private let records = Mutex<[KafkaRecord]>([])
        func append(_ more: [KafkaRecord]) { records.withLock { $0 += more } }
        var all: [KafkaRecord] { records.withLock { $0 } }
    }

    /// When idle, librdkafka compares a full queue with its limit only once a second, so reading 16 MiB would wait
    /// about a dozen times.
    @Test(.timeLimit(.minutes(2)))
    func `a reader that drains its queues within a second does not wait for the rest of it`() async throws {
        let topic = try await Self.makeTopic(partitions: 1)
        let servers = try await ApacheKafka.shared().bootstrapServers
        let producer = try KafkaProducer(KafkaConfiguration(bootstrapServers: servers), topics: [topic])
        let value = (0..<1024).map { _ in UInt8.random(in: 0...255) }
        for _ in 0..<16 {
            try await withThrowingTaskGroup { group in
                for _ in 0..<1024 {
                    group.addTask {
                        _ = try await producer.send(
                            KafkaProducerRecord(topic: topic, key: nil, value: value), deadline: .seconds(30))
                    }
                }
                try await group.waitForAll()
            }
        }
        await producer.close(within: .seconds(5))
        var options = KafkaConsumer.Options()
        options.prefetch.totalBytes = 256 << 10
        let place = KafkaTopicPartition(topic: topic, partition: 0)
        let reader = try await ConsumerHarness(
            .partitions([place: .beginning]), options: options, bootstrapServers: servers, profile: .production)
        let partition = try #require(await reader.consumer.assignedPartitions.first)
        var offsets: [Int64] = []
        var stalls = 0
        while offsets.count < 16 * 1024 {
            let start = ContinuousClock.now
            let records = try #require(await partition.next(maxRecords: 1000), "the partition ended")
            offsets += records.map(\.offset.rawValue)
            if ContinuousClock.now - start > .milliseconds(700) { stalls += 1 }
        }
        // A busy machine may occasionally be slow.
        #expect(stalls <= 3)
        #expect(offsets == Array(0..<Int64(16 * 1024)))
        await reader.consumer.close(within: .seconds(5))
    }

    @Test func `as members join and leave, records are read once in key order and only moving partitions are revoked`()
        async throws
    {
        let topic = try await Self.makeTopic(partitions: 8)
        let producer = try KafkaProducer(
            KafkaConfiguration(bootstrapServers: await ApacheKafka.shared().bootstrapServers), topics: [topic])
        let isWriting = Atomic(true)
        let written = Atomic(0)
        async let writing: Void = {
            while isWriting.load(ordering: .relaxed), !Task.isCancelled {
                let number = written.load(ordering: .relaxed)
                _ = try await producer.send(
                    KafkaProducerRecord(
                        topic: topic, key: Array("key-\(number % 40)".utf8), value: Array("\(number)".utf8)),
                    deadline: .seconds(20))
                written.add(1, ordering: .relaxed)
            }
        }()
        let group = KafkaConsumerGroup(rawValue: "moves-\(topic.rawValue)")
        let log = ReadLog()
        let first = try await Self.member(group, topic)
        let firstWork = Self.work(first, into: log)
        _ = try await first.assigned(8, within: .seconds(60))
        let second = try await Self.member(group, topic)
        let secondWork = Self.work(second, into: log)
        _ = try await second.assigned(4, within: .seconds(60))
        #expect(first.noted.revoking.count == 4)
        try await waitUntil { written.load(ordering: .relaxed) > 200 }
        #expect(await second.consumer.close(within: .seconds(10)))
        _ = try await first.assigned(8, within: .seconds(60))
        isWriting.store(false, ordering: .relaxed)
        try await writing
        let count = written.load(ordering: .relaxed)
        try await waitUntil { log.all.count >= count }
        #expect(await first.consumer.close(within: .seconds(10)))
        firstWork.cancel()
        secondWork.cancel()
        _ = await (firstWork.value, secondWork.value)
        await producer.close(within: .seconds(5))

        #expect(log.all.count == count)
        #expect(Set(log.all.compactMap(\.text)).count == count)
        for (_, records) in Dictionary(grouping: log.all, by: \.key) {
            let numbers = records.compactMap { $0.text.flatMap { Int($0) } }
            #expect(numbers == numbers.sorted())
        }
        #expect(first.noted.lost.isEmpty && second.noted.lost.isEmpty)
        #expect(first.noted.assigned.count == 12)
        #expect(first.noted.commitFailures + second.noted.commitFailures == 0)
    }

    @Test func `the committed offset is the stored one, and reading starts at the beginning`() async throws {
        let topic = try await Self.makeTopic(partitions: 1)
        let configuration = try KafkaConfiguration(bootstrapServers: await ApacheKafka.shared().bootstrapServers)
        let producer = try KafkaProducer(configuration, topics: [topic])
        for record in ConsumerTestBroker.numbered(5, topic: topic) {
            _ = try await producer.send(record, deadline: .seconds(20))
        }
        await producer.close(within: .seconds(5))
        let group = KafkaConsumerGroup(rawValue: "committed-\(topic.rawValue)")
        let place = KafkaTopicPartition(topic: topic, partition: 0)
        let admin = try KafkaAdmin(configuration)
        let member = try await Self.member(group, topic)
        let partition = try #require(try await member.assigned(1).first)
        // The offset is committed before any record is processed, so the lag is the whole log.
        try await waitUntil { try await admin.committedOffsets(of: group, partitions: [place])[place] == 0 }
        _ = try await ConsumerHarness.read(5, of: partition)
        await partition.store(nextOffset: 3)
        try await waitUntil { try await admin.committedOffsets(of: group, partitions: [place])[place] == 3 }
        await partition.store(nextOffset: 4)
        await partition.release()
        #expect(await member.consumer.close(within: .seconds(10)))
        #expect(try await admin.committedOffsets(of: group, partitions: [place])[place] == 4)
        await admin.close(within: .seconds(2))
    }

    @Test func `a returning static member has its partitions at once`() async throws {
        let topic = try await Self.makeTopic(partitions: 4)
        let group = KafkaConsumerGroup(rawValue: "static-\(topic.rawValue)")
        var options = KafkaConsumer.Options()
        options.groupInstanceId = "one"
        let other = try await Self.member(group, topic)
        let first = try await Self.member(group, topic, options: options)
        let before = try await first.assigned(2)
        try await waitUntil { other.noted.assigned.count(where: \.isActive) == 2 || other.noted.revoking.count == 2 }
        for partition in other.noted.assigned where !partition.isActive { await partition.release() }
        for partition in before { await partition.release() }
        #expect(await first.consumer.close(within: .seconds(10)))
        let moved = other.noted.revoking.count
        let again = try await Self.member(group, topic, options: options)
        let after = try await again.assigned(2, within: .seconds(5))
        #expect(after.map(\.topicPartition) == before.map(\.topicPartition))
        #expect(other.noted.revoking.count == moved)
        for partition in after + other.noted.assigned { await partition.release() }
        #expect(await again.consumer.close(within: .seconds(10)))
        #expect(await other.consumer.close(within: .seconds(10)))
    }
}
