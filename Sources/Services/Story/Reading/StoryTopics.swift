package import AppStoreModel
package import Kafka
internal import Lifecycle
package import Records
internal import Synchronization

/// An environment's topics that can contain parts of a story, with their offsets.
package struct StoryTopics: Sendable {
    package let names: TopicNames
    package let environment: AppStoreEnvironment
    /// The oldest and the next offset of each partition that can be read.
    package let watermarks: [KafkaTopicPartition: KafkaWatermarks]
    /// The errors of the partitions that cannot be read, for example because they have no leader.
    private let failures: [KafkaTopicPartition: KafkaError]
    /// The partitions of each existing topic, in ascending order.
    private let partitionsByTopic: [KafkaTopic: [KafkaTopicPartition]]
    /// Missing topics that every installation should have.
    package let missing: [KafkaTopic]
    /// Topics that this user may not describe. The brokers do not report whether they exist.
    package let hidden: [KafkaTopic]

    /// - Parameter hasMore: whether to also read erasures and the index of sluice-reconciler, if they exist.
    /// - Throws: a ``StartupError`` if none of the topics is visible, and a `KafkaError` if the brokers do not respond
    ///   or no partition can be read.
    package init(
        _ names: TopicNames, _ environment: AppStoreEnvironment, hasMore: Bool, of admin: KafkaAdmin
    ) async throws {
        self.names = names
        self.environment = environment
        let others = Self.deadLetters(names, besides: environment)
        let usual = Self.usual(names, environment)
        let letters = names.specifications().map(\.name).filter {
            $0.rawValue.hasSuffix(".dlq") && !others.contains($0)
        }
        let index = names.reconciliation(environment)
        let expected = Set(usual + letters + (hasMore ? [names.erasures, index] : []))
        // Any consumer group may have dead letters, whether it is configured here or not.
        let found = try await admin.describeTopics(settings: .none).filter { description in
            expected.contains(description.topic)
                || (usual + [index]).contains { description.topic.isDeadLetters(of: $0) }
        }
        let invisible = expected.subtracting(found.map(\.topic))
        let denied = try await admin.deniedTopics(among: Array(invisible))
        guard !found.isEmpty else {
            let input = names.notifications(environment)
            throw Self.nothingToRead(input, isDenied: denied.contains(input))
        }
        missing = (usual + letters).filter { invisible.contains($0) && !denied.contains($0) }
        hidden = denied.sorted { $0.rawValue < $1.rawValue }
        let places = found.flatMap { description in
            description.partitions.map { KafkaTopicPartition(topic: description.topic, partition: $0.partition) }
        }
        partitionsByTopic = Dictionary(grouping: places, by: \.topic)
        let ends = Mutex<KafkaAdmin.Ends>([:])
        await admin.ends(of: Set(places), within: .seconds(10)) { some in
            ends.withLock { $0.merge(some) { _, new in new } }
        }
        var watermarks: [KafkaTopicPartition: KafkaWatermarks] = [:]
        var failures: [KafkaTopicPartition: KafkaError] = [:]
        for (place, result) in ends.withLock({ $0 }) {
            switch result {
            case .success(let marks): watermarks[place] = marks
            case .failure(let error): failures[place] = error
            }
        }
        if watermarks.isEmpty, let error = failures.values.first { throw error }
        self.watermarks = watermarks
        self.failures = failures
    }

    /// Returns the topics, other than dead letter topics, that a complete story requires.
    static func usual(_ names: TopicNames, _ environment: AppStoreEnvironment) -> [KafkaTopic] {
        [names.notifications(environment), names.entitlements(environment), names.refunds(environment)]
            + [names.quarantine]
    }

    private static func nothingToRead(_ input: KafkaTopic, isDenied: Bool) -> StartupError {
        isDenied
            ? StartupError(
                "access to topic \(input) and to every other topic in the story is denied", fix: UnsearchedTopics.grant)
            : StartupError(
                "topic \(input) does not exist",
                fix: "Check topics.prefix and --environment, or create the topics with: sluicectl topics apply")
    }

    /// Returns the dead letter topics of the other environments.
    private static func deadLetters(_ names: TopicNames, besides environment: AppStoreEnvironment) -> Set<KafkaTopic> {
        let others = AppStoreEnvironment.published.filter { $0 != environment }.flatMap {
            [names.notifications($0), names.entitlements($0), names.refunds($0), names.reconciliation($0)]
        }
        return Set(
            names.specifications().map(\.name).filter { topic in
                others.contains { topic.rawValue.hasPrefix($0.rawValue + ".") }
            })
    }

    package func exists(_ topic: KafkaTopic) -> Bool { partitionsByTopic[topic] != nil }

    /// Returns the partitions of a topic in ascending order, including those that cannot be read, or an empty array if
    /// the topic does not exist.
    package func partitions(of topic: KafkaTopic) -> [KafkaTopicPartition] { partitionsByTopic[topic] ?? [] }

    /// Returns the partitions that can contain records with these keys, in ascending order.
    package func partitions(of topic: KafkaTopic, keys: Set<[UInt8]>) -> [KafkaTopicPartition] {
        let all = partitions(of: topic)
        guard !all.isEmpty else { return [] }
        let wanted = Set(keys.map { KafkaPartition(ofKey: $0, partitions: Int32(clamping: all.count)) })
        return all.filter { wanted.contains($0.partition) }
    }

    /// Returns the errors of the given partitions that cannot be read.
    package func errors(of places: [KafkaTopicPartition]) -> [KafkaTopicPartition: KafkaError] {
        let places = Set(places)
        return failures.filter { places.contains($0.key) }
    }

    /// The existing dead letter topics, sorted by name.
    package var deadLetters: [KafkaTopic] {
        partitionsByTopic.keys.filter { $0.rawValue.hasSuffix(".dlq") }.sorted { $0.rawValue < $1.rawValue }
    }
}
