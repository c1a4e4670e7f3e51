package import AppStoreModel
package import Kafka
internal import Lifecycle
package import Records
internal import Synchronization

/// An environment's topics that can contain parts of a story, with their offsets.
package struct StoryTopics: Sendable {
    package let names: TopicNames
    package let environment: AppStoreEnvironment
    /// The oldest and the next offset of each partition, for existing topics.
    package let watermarks: [KafkaTopicPartition: KafkaWatermarks]

    /// Missing topics that every installation should have.
    package let missing: [KafkaTopic]
    /// Topics that this user may not describe. The brokers do not report whether they exist.
    package let hidden: [KafkaTopic]

    /// - Parameter hasMore: whether to also read erasures and the index of sluice-reconciler, if they exist.
    /// - Throws: a ``StartupError`` if none of the topics is visible, or the brokers do not respond.
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
        let ends = Mutex<KafkaAdmin.Ends>([:])
        await admin.ends(of: Set(places), within: .seconds(10)) { some in
            ends.withLock { $0.merge(some) { _, new in new } }
        }
        watermarks = try ends.withLock { $0 }.mapValues { try $0.get() }
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

    package func exists(_ topic: KafkaTopic) -> Bool { watermarks.keys.contains { $0.topic == topic } }

    /// Returns the partitions of a topic in ascending order, or an empty array if the topic does not exist.
    package func partitions(of topic: KafkaTopic) -> [KafkaTopicPartition] {
        watermarks.keys.filter { $0.topic == topic }.sorted { $0.partition < $1.partition }
    }

    /// Returns the partitions that can contain records with these keys, in ascending order.
    package func partitions(of topic: KafkaTopic, keys: Set<[UInt8]>) -> [KafkaTopicPartition] {
        let all = partitions(of: topic)
        guard !all.isEmpty else { return [] }
        let wanted = Set(keys.map { KafkaPartition(ofKey: $0, partitions: Int32(clamping: all.count)) })
        return all.filter { wanted.contains($0.partition) }
    }

    /// The existing dead letter topics, sorted by name.
    package var deadLetters: [KafkaTopic] {
        Set(watermarks.keys.map(\.topic)).filter { $0.rawValue.hasSuffix(".dlq") }
            .sorted { $0.rawValue < $1.rawValue }
    }
}
