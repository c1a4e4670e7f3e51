import Synchronization
import TestSupport
import Testing

@testable import Kafka

/// Tests of reading without a group, and of reading at offsets that no longer exist.
@Suite(.timeLimit(.minutes(5)))
struct KafkaConsumerReaderTests {
    @Test func `partitions are read up to their ends`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 3)
        try await ConsumerTestBroker.write(
            ConsumerTestBroker.numbered(1500, topic: topic, partition: 0)
                + ConsumerTestBroker.numbered(10, topic: topic, partition: 1))
        let read = Mutex<[KafkaRecord]>([])
        let place = { KafkaTopicPartition(topic: topic, partition: $0) }
        try await KafkaConsumer.readToEnd(
            ConsumerTestBroker.configuration(), from: [place(0): .beginning, place(1): 7, place(2): .beginning],
            within: .seconds(20)
        ) { records in read.withLock { $0 += records } }
        let records = read.withLock { $0 }
        #expect(records.filter { $0.partition == 0 }.map(\.text) == (0..<1500).map { "\($0)" })
        #expect(records.filter { $0.partition == 1 }.map(\.text) == ["7", "8", "9"])
        #expect(records.count == 1503)
    }

    @Test func `a filter skips records, and the end is still reached`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        try await ConsumerTestBroker.write(ConsumerTestBroker.numbered(1500, topic: topic))
        let place = KafkaTopicPartition(topic: topic, partition: 0)
        var options = KafkaConsumer.Options()
        options.filter = KafkaRecordFilter { _, value in value.map { $0.count == 1 } ?? false }
        let read = Mutex<[KafkaRecord]>([])
        try await KafkaConsumer.readToEnd(
            ConsumerTestBroker.configuration(), from: [place: .beginning], within: .seconds(20), options: options
        ) { records in read.withLock { $0 += records } }
        // The filter selects the values with one digit, which are less than ten.
        #expect(read.withLock { $0 }.map(\.text) == (0..<10).map { "\($0)" })
    }

    @Test(arguments: [1, 2, 8])
    func `ranges of several partitions are read at the same time, up to their bounds`(_ clients: Int) async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 3)
        try await ConsumerTestBroker.write(
            ConsumerTestBroker.numbered(1500, topic: topic, partition: 0)
                + ConsumerTestBroker.numbered(10, topic: topic, partition: 1))
        let place = { KafkaTopicPartition(topic: topic, partition: $0) }
        var options = KafkaConsumer.Options()
        options.filter = KafkaRecordFilter { _, value in value.map { $0.last == UInt8(ascii: "5") } ?? true }
        var records: [KafkaRecord] = []
        var reached: [KafkaTopicPartition: Int64] = [:]
        try await KafkaConsumer.readRanges(
            ConsumerTestBroker.configuration(), [place(0): 100..<1400, place(1): 0..<10, place(2): 0..<0],
            clients: clients, options: options
        ) { batch in
            records += batch.records
            reached[batch.partition] = batch.nextOffset
            return true
        }
        let expected = (100..<1400).filter { $0 % 10 == 5 }.map { "\($0)" }
        #expect(records.filter { $0.partition == 0 }.map(\.text) == expected)
        #expect(records.filter { $0.partition == 1 }.map(\.text) == ["5"])
        #expect(reached == [place(0): 1400, place(1): 10])
    }

    @Test func `reading ranges stops when the body returns false`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 2)
        try await ConsumerTestBroker.write(
            ConsumerTestBroker.numbered(100, topic: topic, partition: 0)
                + ConsumerTestBroker.numbered(100, topic: topic, partition: 1))
        var batches = 0
        try await KafkaConsumer.readRanges(
            ConsumerTestBroker.configuration(),
            [
                KafkaTopicPartition(topic: topic, partition: 0): 0..<100,
                KafkaTopicPartition(topic: topic, partition: 1): 0..<100,
            ], clients: 2
        ) { _ in
            batches += 1
            return false
        }
        #expect(batches == 1)
    }

    @Test func `the end of a partition is reported, and later records are read`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        try await ConsumerTestBroker.write(ConsumerTestBroker.numbered(2, topic: topic))
        let place = KafkaTopicPartition(topic: topic, partition: 0)
        let reader = try await ConsumerHarness(.partitions([place: .beginning]))
        let partition = try #require(await reader.consumer.assignedPartitions.first)
        #expect(partition.position == .beginning)
        #expect(try await ConsumerHarness.read(2, of: partition).map(\.text) == ["0", "1"])
        #expect(await partition.next(maxRecords: 10) == [])
        #expect(partition.position == 2)
        try await ConsumerTestBroker.write(ConsumerTestBroker.numbered(1, topic: topic, from: 2))
        #expect(try await ConsumerHarness.read(1, of: partition).map(\.text) == ["2"])
        #expect(partition.position == 3)
        #expect(await reader.consumer.close(within: .seconds(10)))
    }

    @Test func `a deleted offset is reported and nothing more is read`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        try await ConsumerTestBroker.write(Self.moreThanKept(topic))
        let place = KafkaTopicPartition(topic: topic, partition: 0)
        let reader = try await ConsumerHarness(.partitions([place: 0]))
        let partition = try #require(await reader.consumer.assignedPartitions.first)
        #expect(await partition.next(maxRecords: 1) == nil)
        #expect(reader.noted.outOfRange == [place])
        #expect(await reader.consumer.close(within: .seconds(10)))
        await #expect { try await Self.readAll(place, from: 0) } throws: { error in
            (error as? KafkaError)?.code == .autoOffsetReset
        }
    }

    @Test func `on the embedded broker a deleted offset causes a reported reset`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        try await ConsumerTestBroker.write(Self.moreThanKept(topic))
        let place = KafkaTopicPartition(topic: topic, partition: 0)
        var options = KafkaConsumer.Options()
        options.outOfRange = .resetToBeginning
        let reader = try await ConsumerHarness(.partitions([place: 1]), options: options)
        let partition = try #require(await reader.consumer.assignedPartitions.first)
        let record = try #require(try await ConsumerHarness.read(1, of: partition).first)
        #expect(record.offset > 1)
        #expect(reader.noted.resets.map(\.expected) == [1])
        #expect(reader.noted.resets.map(\.found) == [record.offset])
        #expect(partition.isActive)
        #expect(await reader.consumer.close(within: .seconds(10)))
    }

    @Test func `the first record of a recreated log is delivered by a new assignment`() async throws {
        let topic = try ConsumerTestBroker.topic(partitions: 1)
        try await ConsumerTestBroker.write(ConsumerTestBroker.numbered(3, topic: topic))
        let place = KafkaTopicPartition(topic: topic, partition: 0)
        var options = KafkaConsumer.Options()
        options.outOfRange = .resetToBeginning
        let reader = try await ConsumerHarness(.partitions([place: 1]), options: options)
        let old = try #require(await reader.consumer.assignedPartitions.first)
        // The record was read behind records of the old log, which were delivered first.
        let record = KafkaRecord(topic: topic, partition: 0, offset: 0, key: nil, value: [7])
        await reader.consumer.hold(record)
        #expect(await old.next(maxRecords: 10) == nil)
        let new = try #require(await reader.consumer.assignedPartitions.first)
        #expect(new.epoch != old.epoch && new.startOffset == 0)
        #expect(reader.noted.lost == [place])
        let records = try await ConsumerHarness.read(3, of: new)
        #expect(records.map(\.offset) == [0, 1, 2])
        #expect(records.first == record)
        #expect(await reader.consumer.close(within: .seconds(10)))
    }

    @Test func `reading from an unresponsive topic ends at the timeout`() async throws {
        let configuration = try KafkaConfiguration(bootstrapServers: "127.0.0.1:1", profile: .embedded)
        let place = KafkaTopicPartition(topic: "nowhere", partition: 0)
        await #expect(throws: KafkaError.self) {
            try await KafkaConsumer.readToEnd(configuration, from: [place: .beginning], within: .seconds(1)) { _ in }
        }
    }

    private static func readAll(_ place: KafkaTopicPartition, from offset: KafkaOffset) async throws {
        try await KafkaConsumer.readToEnd(
            ConsumerTestBroker.configuration(), from: [place: offset], within: .seconds(20)
        ) { _ in }
    }

    /// Returns more records than the embedded broker retains (5 MiB per partition, as sent), with incompressible
    /// values.
    private static func moreThanKept(_ topic: KafkaTopic) -> [KafkaProducerRecord] {
        var state: UInt64 = 88_172_645_463_325_252
        var value: [UInt8] = []
        for _ in 0..<500_000 {
            // This is Marsaglia's xorshift generator.
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            value.append(UInt8(truncatingIfNeeded: state >> 32))
        }
        return (0..<14).map { _ in KafkaProducerRecord(topic: topic, key: nil, value: value) }
    }
}

extension KafkaConsumer {
    /// Simulates that a recreated log begins with this record.
    fileprivate func hold(_ record: KafkaRecord) {
        guard let state = partitions[record.topicPartition] else { return }
        state.expected = record.offset
        state.held = record
    }
}
