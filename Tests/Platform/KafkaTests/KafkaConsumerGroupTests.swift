import Dispatch
import KafkaDevBroker
import TestSupport
import Testing

@testable import Kafka

/// Tests with the embedded broker. They run in parallel, because each join takes 3 s.
@Suite(.timeLimit(.minutes(5)))
struct KafkaConsumerGroupTests {
    @Test func `every record is read once and in order, including null and empty ones`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        let headers = [
            KafkaHeader(key: "a", text: "1"), KafkaHeader(key: "a", value: nil), KafkaHeader(key: "", value: []),
            KafkaHeader(key: "b", value: [0, 255]),
        ]
        try await ConsumerTestBroker.write([
            KafkaProducerRecord(topic: topic, key: nil, value: nil),
            KafkaProducerRecord(topic: topic, key: [], value: []),
            KafkaProducerRecord(
                topic: topic, timestampMilliseconds: 1_700_000_000_123, key: [0, 1, 255], value: [9], headers: headers),
        ])
        let member = try await ConsumerHarness(.group("values", topics: [topic]))
        let partition = try #require(try await member.assigned(1).first)
        let records = try await ConsumerHarness.read(3, of: partition)
        #expect(records.map(\.offset) == [0, 1, 2])
        #expect(records.map(\.key) == [nil, [], [0, 1, 255]])
        #expect(records.map(\.value) == [nil, [], [9]])
        #expect(records.map(\.headers) == [[], [], headers])
        #expect(records[2].timestampMilliseconds == 1_700_000_000_123)
        await partition.release()
        #expect(await member.consumer.close(within: .seconds(10)))
    }

    @Test func `a new group starts at the beginning, and the next member at the stored offset`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        try await ConsumerTestBroker.write(ConsumerTestBroker.numbered(10, topic: topic))
        let first = try await ConsumerHarness(.group("restart", topics: [topic]))
        let partition = try #require(try await first.assigned(1).first)
        #expect(partition.startOffset == 0)
        _ = try await ConsumerHarness.read(10, of: partition)
        // Records up to and including offset 6 are processed.
        await partition.store(nextOffset: 4)
        await partition.store(nextOffset: 7)
        await partition.store(nextOffset: 5)
        await partition.release()
        #expect(await first.consumer.close(within: .seconds(10)))

        let second = try await ConsumerHarness(.group("restart", topics: [topic]))
        let again = try #require(try await second.assigned(1).first)
        #expect(again.startOffset == 7)
        #expect(try await ConsumerHarness.read(3, of: again).map(\.text) == ["7", "8", "9"])
        await again.release()
        #expect(await second.consumer.close(within: .seconds(10)))
    }

    @Test func `a partition without a reader does not delay the others`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 2)
        try await ConsumerTestBroker.write(
            ConsumerTestBroker.numbered(3000, topic: topic, partition: 0)
                + ConsumerTestBroker.numbered(50, topic: topic, partition: 1))
        let member = try await ConsumerHarness(.group("unread", topics: [topic]))
        let partitions = try await member.assigned(2)
        let others = try await ConsumerHarness.read(50, of: partitions[1])
        #expect(others.map(\.text) == (0..<50).map { "\($0)" })
        // The delayed partition later delivers all its records.
        let late = try await ConsumerHarness.read(3000, of: partitions[0])
        #expect(late.map(\.text) == (0..<3000).map { "\($0)" })
        for partition in partitions { await partition.release() }
        #expect(await member.consumer.close(within: .seconds(10)))
    }

    @Test func `the group waits until a moving partition is released`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 2)
        try await ConsumerTestBroker.write(
            ConsumerTestBroker.numbered(5, topic: topic, partition: 0)
                + ConsumerTestBroker.numbered(5, topic: topic, partition: 1))
        let first = try await ConsumerHarness(.group("moves", topics: [topic]))
        let partitions = try await first.assigned(2)
        for partition in partitions { _ = try await ConsumerHarness.read(5, of: partition) }
        let second = try await ConsumerHarness(.group("moves", topics: [topic]))
        try await waitUntil { first.noted.revoking.count == 1 }
        let moving = try #require(partitions.first { !$0.isActive })
        // The owner is notified of the revocation, and may still store offsets of records that it finishes.
        #expect(await moving.next(maxRecords: 1) == nil)
        await moving.store(nextOffset: 5)
        #expect(second.noted.assigned.isEmpty)
        await moving.release()
        let taken = try await second.assigned(1)
        #expect(taken.map(\.topicPartition) == [moving.topicPartition])
        #expect(first.noted.lost.isEmpty)
        // The embedded broker rejects some commits for revoked partitions, so only the Apache Kafka tests verify this
        // fully.
        #expect(taken[0].startOffset == 5 || first.noted.commitFailures > 0)
        #expect(partitions.count(where: \.isActive) == 1)
        for partition in partitions + taken { await partition.release() }
        #expect(await second.consumer.close(within: .seconds(10)))
        #expect(await first.consumer.close(within: .seconds(10)))
    }

    @Test func `a partition that is not released in time is revoked anyway`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        try await ConsumerTestBroker.write(ConsumerTestBroker.numbered(1, topic: topic))
        var options = KafkaConsumer.Options()
        options.drainLimit = .milliseconds(200)
        let member = try await ConsumerHarness(.group("late", topics: [topic]), options: options)
        let partition = try #require(try await member.assigned(1).first)
        async let ended: Void = partition.untilEnded()
        #expect(await member.consumer.close(within: .seconds(10)))
        await ended
        #expect(member.noted.drainLimitExceeded == 1)
        #expect(!partition.isActive)
    }

    @Test func `a lost partition ends at once, commits nothing and returns as a new assignment`() async throws {
        // Use a separate broker, because the fault below affects whichever member sends the next heartbeat.
        let topic: KafkaTopic = "lost"
        let broker = try DevBroker(topics: [topic: 1])
        let producer = try KafkaProducer(
            KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded), topics: [topic])
        _ = try await producer.send(ConsumerTestBroker.numbered(1, topic: topic)[0], deadline: .seconds(10))
        await producer.close(within: .seconds(5))
        // The interval is longer than the test, so offsets are committed only on revocation.
        let member = try await ConsumerHarness(
            .group("lost", topics: [topic]), properties: ["auto.commit.interval.ms": "60000"],
            bootstrapServers: broker.bootstrapServers)
        let first = try #require(try await member.assigned(1).first)
        _ = try await ConsumerHarness.read(1, of: first)
        await first.store(nextOffset: 1)
        try broker.failNext(.heartbeat, with: [.unknownMember])
        await first.untilEnded()
        #expect(member.noted.lost == [first.topicPartition])
        try await waitUntil { member.noted.assigned.count == 2 }
        let second = try #require(member.noted.assigned.last)
        #expect(second.epoch != first.epoch)
        #expect(second.startOffset == 0)
        // Calls on the first assignment have no effect.
        await first.store(nextOffset: 1)
        await first.release()
        #expect(second.isActive)
        #expect(try await ConsumerHarness.read(1, of: second).map(\.offset) == [0])
        await second.release()
        #expect(await member.consumer.close(within: .seconds(10)))
        await broker.stop()
    }

    @Test func `an idle consumer stays in its group`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        let member = try await ConsumerHarness(
            .group("idle", topics: [topic]),
            properties: ["max.poll.interval.ms": "6000", "statistics.interval.ms": "1000"])
        let partition = try #require(try await member.assigned(1).first)
        // Statistics arrive once a second. After 13 of them, the poll interval has passed twice without a change of
        // membership.
        let reported = member.noted.statistics.count
        try await waitUntil(within: .seconds(60)) { member.noted.statistics.count >= reported + 13 }
        #expect(partition.isActive)
        #expect(member.noted.errors.isEmpty)
        #expect(member.noted.lost.isEmpty && member.noted.revoking.isEmpty)
        try await ConsumerTestBroker.write(ConsumerTestBroker.numbered(1, topic: topic))
        #expect(try await ConsumerHarness.read(1, of: partition).map(\.text) == ["0"])
        await partition.release()
        #expect(await member.consumer.close(within: .seconds(10)))
    }

    @Test func `statistics report the lag of a group that has stored no offset yet`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        try await ConsumerTestBroker.write(ConsumerTestBroker.numbered(9, topic: topic))
        let member = try await ConsumerHarness(
            .group("lag", topics: [topic]), properties: ["statistics.interval.ms": "100"])
        let partition = try #require(try await member.assigned(1).first)
        try await waitUntil { member.noted.statistics.last?.partitions.first?.consumerLagStored == 9 }
        // The start offset was committed periodically, so tools see the lag too.
        try await waitUntil { member.noted.statistics.last?.partitions.first?.consumerLag == 9 }
        await partition.store(nextOffset: 6)
        try await waitUntil { member.noted.statistics.last?.partitions.first?.consumerLag == 3 }
        await partition.release()
        #expect(await member.consumer.close(within: .seconds(10)))
    }

    @Test func `a cancelled task returns from next and pause at once`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        let member = try await ConsumerHarness(.group("cancelled", topics: [topic]))
        let partition = try #require(try await member.assigned(1).first)
        let reading = Task { await partition.next(maxRecords: 1) }
        let pausing = Task { await partition.pause(for: .seconds(3600)) }
        reading.cancel()
        pausing.cancel()
        #expect(await reading.value == nil)
        #expect(await pausing.value == false)
        #expect(await partition.pause(for: .milliseconds(1)))
        #expect(partition.isActive)
        await partition.release()
        #expect(await member.consumer.close(within: .seconds(10)))
    }

    @Test func `a wait that ends early leaves no timer behind`() async throws {
        let timers = [DispatchSource.makeTimerSource(), DispatchSource.makeTimerSource()]
        for timer in timers {
            timer.schedule(deadline: .distantFuture)
            timer.activate()
        }
        let isOver = await withCheckedContinuation {
            PartitionState.Pause(continuation: $0, timer: timers[0]).resume(returning: false)
        }
        let batch = ReadBatch(of: KafkaTopicPartition(topic: "t", partition: 0), isPacked: false)
        let records = await withCheckedContinuation { continuation in
            PartitionState.Reader(
                id: 1, maxRecords: 1, maxBytes: 1, complete: { continuation.resume(returning: $0?.records) },
                timer: timers[1]
            ).resume(returning: batch)
        }
        #expect(!isOver && records == [])
        #expect(timers.filter { !$0.isCancelled }.isEmpty)
    }

    @Test func `a leaderless partition does not block the others assigned to a new group`() async throws {
        let topic: KafkaTopic = "leaderless"
        let broker = try DevBroker(topics: [topic: 2])
        let producer = try KafkaProducer(
            KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded), topics: [topic])
        for partition: KafkaPartition in [0, 1] {
            for record in ConsumerTestBroker.numbered(1, topic: topic, partition: partition) {
                _ = try await producer.send(record, deadline: .seconds(20))
            }
        }
        let leaderless = KafkaTopicPartition(topic: topic, partition: 0)
        try broker.setLeader(of: leaderless, to: nil)
        // The beginning of the partition without a leader cannot be determined.
        let member = try await ConsumerHarness(
            .group("leaderless", topics: [topic]), bootstrapServers: broker.bootstrapServers)
        let partitions = try await member.assigned(2, within: .seconds(40))
        #expect(try await ConsumerHarness.read(1, of: partitions[1]).map(\.offset) == [0])
        #expect(partitions[0].startOffset == .beginning)
        #expect(partitions[1].startOffset == 0)
        // Once the partition has a leader, it is read from its oldest record.
        try broker.setLeader(of: leaderless, to: 1)
        #expect(try await ConsumerHarness.read(1, of: partitions[0]).map(\.offset) == [0])
        for partition in partitions { await partition.release() }
        #expect(await member.consumer.close(within: .seconds(10)))
        await producer.close(within: .seconds(5))
        await broker.stop()
    }
}
