internal import Foundation
internal import Kafka

/// Writes a backlog to a broker. The embedded broker stores only 5 MiB per partition, so at most this much is written
/// before the consumer catches up.
final class BacklogFeed {
    let bootstrapServers: String
    private let backlog: NotificationBacklog
    private let producer: KafkaProducer
    private let admin: KafkaAdmin
    private let partitions: [KafkaTopicPartition]
    private let failures = Outcomes<KafkaError>()
    private var written: [Int]
    private var committed: [Int]
    private var next = 0

    /// The maximum number of unread records per partition. They take half of what the broker can store, measured
    /// without compression.
    private let window: Int
    private static let inFlight = 1500

    private let group: KafkaConsumerGroup

    /// - Parameters:
    ///   - group: the consumer group whose commits are observed.
    ///   - isBounded: whether the broker is the embedded one.
    ///   - count: the number of partitions of the topic.
    init(
        _ backlog: NotificationBacklog, bootstrapServers: String, group: KafkaConsumerGroup = "sluice-entitlements",
        isBounded: Bool = true, partitions count: Int32 = 12
    ) throws {
        self.backlog = backlog
        self.group = group
        window = isBounded ? max(100, (5 << 19) / max(1, backlog[0].value?.count ?? 1)) : .max
        self.bootstrapServers = bootstrapServers
        producer = try KafkaProducer(
            // Write full batches, like a real backlog, because the embedded broker returns one batch of a partition at
            // a time.
            KafkaConfiguration(bootstrapServers: bootstrapServers, properties: ["linger.ms": "50"]),
            topics: [backlog.topic])
        admin = try KafkaAdmin(
            KafkaConfiguration(bootstrapServers: bootstrapServers, profile: isBounded ? .embedded : .production))
        partitions = (0..<count).map {
            KafkaTopicPartition(topic: backlog.topic, partition: KafkaPartition(rawValue: $0))
        }
        written = partitions.map { _ in 0 }
        committed = written
    }

    /// Writes as many records as the broker can store.
    func fill() async throws {
        while !producer.status.isReady { try await Task.sleep(for: .milliseconds(10)) }
        while next < backlog.count, try await write() {}
        try await flush(to: 0)
    }

    /// Writes the remaining records as the consumer makes progress, until it has committed all of them.
    ///
    /// - Parameter progress: called each time another percent has been committed.
    /// - Returns: the number of seconds since the first nonzero commit.
    func run(progress: (Int) -> Void) async throws -> Double {
        var start: Double?
        var told = 0
        var lastChange = Clocks.monotonic
        while true {
            while next < backlog.count, try await write() {}
            let before = committed.reduce(0, +)
            try await ask()
            let done = committed.reduce(0, +)
            if done > before { lastChange = Clocks.monotonic }
            guard Clocks.monotonic < lastChange + 60e9 else {
                throw BenchFailure("the consumer stopped at record \(done)")
            }
            if done > 0, start == nil { start = Clocks.monotonic }
            while told < done * 100 / backlog.count {
                told += 1
                progress(told)
            }
            if done == backlog.count { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        return (Clocks.monotonic - (start ?? 0)) / 1e9
    }

    /// Waits until the group has committed the whole backlog, which another feed has written.
    ///
    /// - Parameter check: called regularly; throws if the consumer has ended.
    /// - Returns: the number of seconds since the first nonzero commit, or since the call if there was only one.
    func awaitCommits(of count: Int, check: () throws -> Void) async throws -> Double {
        let begin = Clocks.monotonic
        var start: Double?
        while true {
            try check()
            try await ask()
            let done = committed.reduce(0, +)
            if done >= count { break }
            if done > 0, start == nil { start = Clocks.monotonic }
            guard Clocks.monotonic < begin + 300e9 else { throw BenchFailure("the consumer was at record \(done)") }
            try await Task.sleep(for: .milliseconds(50))
        }
        return (Clocks.monotonic - (start ?? begin)) / 1e9
    }

    /// Returns the number of records that have ever been written to a topic.
    func length(of topic: KafkaTopic) async throws -> Int {
        try await admin.watermarks(of: topic).values.reduce(0) { $0 + Int($1.high.rawValue) }
    }

    func close() async {
        await producer.close(within: .seconds(2))
        await admin.close(within: .seconds(2))
    }

    /// Writes the next record.
    ///
    /// - Returns: false if the record's partition is full.
    private func write() async throws -> Bool {
        let count = Int32(clamping: partitions.count)
        let partition = Int(KafkaPartition(ofKey: backlog.key(at: next), partitions: count).rawValue)
        guard written[partition] - committed[partition] < window else { return false }
        try await flush(to: Self.inFlight)
        producer.send(backlog[next]) { [failures] result in
            if case .failure(let error) = result { failures.add(error) }
        }
        written[partition] += 1
        next += 1
        return true
    }

    private func flush(to count: Int) async throws {
        while producer.status.recordsInFlight > count { try await Task.sleep(for: .milliseconds(1)) }
        if let error = failures.values.first { throw error }
    }

    private func ask() async throws {
        let offsets = try await admin.committedOffsets(of: group, partitions: partitions)
        for (place, offset) in offsets { committed[Int(place.partition.rawValue)] = Int(offset.rawValue) }
    }
}
