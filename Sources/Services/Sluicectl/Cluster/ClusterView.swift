internal import Kafka
internal import Records
internal import Synchronization

/// The cluster data that shows whether a copy of the cluster's topics is complete: the ends of the topics and the
/// active groups.
struct ClusterView {
    /// Number of offsets to read at the end of each partition. Some offsets have no record, because of transaction
    /// markers or compaction.
    static let tailLength: Int64 = 16

    let id: String
    let topics: [KafkaTopicDescription]
    /// The last records of each nonempty partition, in offset order.
    private(set) var tails: [KafkaTopicPartition: [KafkaRecord]] = [:]
    /// The first record of each nonempty partition. If the topic has a retention time, this is the first record that is
    /// not about to be deleted.
    private(set) var heads: [KafkaTopicPartition: KafkaRecord] = [:]
    let certificates = CertificateDirectory()
    /// The groups that have members, or nil for the embedded broker, which cannot report them.
    let activeGroups: Set<KafkaConsumerGroup>?

    /// - Parameter wanted: the topics, each with the time from which it retains all records, in milliseconds since
    ///   1970, or 0 for a compacted topic.
    /// - Throws: a `KafkaError`.
    init(
        _ names: TopicNames, of wanted: [KafkaTopic: Int64], _ admin: KafkaAdmin, _ kafka: KafkaConfiguration
    ) async throws {
        id = try await admin.clusterId()
        topics = try await admin.describeTopics(Array(wanted.keys), settings: .whereAllowed)
        let isEmbedded = try await admin.isEmbeddedBroker()
        activeGroups =
            isEmbedded
            ? nil
            : Set(try await admin.consumerGroups().filter { !["Empty", "Dead"].contains($0.state) }.map(\.group))
        var starts: [KafkaTopicPartition: KafkaOffset] = [:]
        let ends = try await Self.ends(of: topics, admin).filter { $0.value.low < $0.value.high }
        for (place, ends) in ends {
            let tail = KafkaOffset(rawValue: max(ends.low.rawValue, ends.high.rawValue - Self.tailLength))
            starts[place] = place.topic == names.certificates ? ends.low : tail
        }
        guard !starts.isEmpty else { return }
        var read: [KafkaTopicPartition: [KafkaRecord]] = [:]
        let certificates = certificates
        try await KafkaConsumer.readToEnd(kafka, from: starts, within: .seconds(120)) { records in
            if records.first?.topic == names.certificates { certificates.take(records) }
            for record in records {
                let tail = read[record.topicPartition, default: []].suffix(Int(Self.tailLength) - 1)
                read[record.topicPartition] = tail + [record]
            }
        }
        tails = read
        heads = try await Self.heads(ends, wanted, admin, kafka)
    }

    private static func heads(
        _ ends: [KafkaTopicPartition: KafkaWatermarks], _ moments: [KafkaTopic: Int64], _ admin: KafkaAdmin,
        _ kafka: KafkaConfiguration
    ) async throws -> [KafkaTopicPartition: KafkaRecord] {
        var starts = ends.filter { moments[$0.key.topic] == 0 }.mapValues(\.low)
        for topic in Set(ends.keys.map(\.topic)) {
            guard let moment = moments[topic], moment > 0 else { continue }
            for (place, offset) in try await admin.offsets(in: topic, at: moment) {
                if let high = ends[place]?.high, offset < high { starts[place] = offset }
            }
        }
        guard !starts.isEmpty else { return [:] }
        var heads: [KafkaTopicPartition: KafkaRecord] = [:]
        try await KafkaConsumer.readToEnd(kafka, from: starts, atMost: 1, within: .seconds(120)) { records in
            if let first = records.first { heads[first.topicPartition] = first }
        }
        return heads
    }

    /// Returns the ends of all partitions. Requests them together, and retries partitions whose leader was just
    /// elected.
    private static func ends(
        of topics: [KafkaTopicDescription], _ admin: KafkaAdmin
    ) async throws -> [KafkaTopicPartition: KafkaWatermarks] {
        let limit = ContinuousClock.now + .seconds(10)
        var ends: [KafkaTopicPartition: KafkaWatermarks] = [:]
        var unanswered = Set(
            topics.flatMap { topic in
                topic.partitions.map { KafkaTopicPartition(topic: topic.topic, partition: $0.partition) }
            })
        while !unanswered.isEmpty {
            let answers = Mutex<KafkaAdmin.Ends>([:])
            await admin.ends(of: unanswered, within: .seconds(10)) { some in
                answers.withLock { $0.merge(some) { $1 } }
            }
            for (place, answer) in answers.withLock({ $0 }) {
                do throws(KafkaError) {
                    ends[place] = try answer.get()
                    unanswered.remove(place)
                } catch {
                    guard error.isRetriable, ContinuousClock.now < limit else { throw error }
                }
            }
            if !unanswered.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
        }
        return ends
    }

    /// Creates a view from its parts, for tests.
    init(
        id: String, topics: [KafkaTopicDescription], records: [KafkaRecord],
        activeGroups: Set<KafkaConsumerGroup>? = []
    ) {
        self.id = id
        self.topics = topics
        self.activeGroups = activeGroups
        tails = Dictionary(grouping: records, by: \.topicPartition)
        heads = tails.compactMapValues(\.first)
        certificates.take(records)
    }

    /// Returns whether any partition of a topic has a record.
    func hasRecords(_ topic: KafkaTopic) -> Bool { tails.keys.contains { $0.topic == topic } }

    /// Returns the last records of each partition of a topic, ordered by partition.
    func tails(of topic: KafkaTopic) -> [(place: KafkaTopicPartition, records: [KafkaRecord])] {
        tails.filter { $0.key.topic == topic }.sorted { $0.key.partition < $1.key.partition }
            .map { (place: $0.key, records: $0.value) }
    }

    func partitionCount(of topic: KafkaTopic) -> Int? { topics.first { $0.topic == topic }?.partitions.count }
}
