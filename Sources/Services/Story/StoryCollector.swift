package import AppStoreModel
package import ArchiveKeys
internal import ArchiveLog
package import KafkaModel
package import Records

/// Collects the records that belong to a story.
package struct StoryCollector: Sendable {
    package let names: TopicNames
    package let environment: AppStoreEnvironment
    /// The record keys of the purchases.
    package let keys: Set<[UInt8]>
    /// The UUID of the story's only notification, in lowercase; nil means all notifications of the purchases.
    package let notificationUUID: String?

    /// Records from the notification topic.
    package private(set) var notifications: [KafkaRecord] = []
    package private(set) var deadLetters: [KafkaRecord] = []
    package private(set) var quarantined: [KafkaRecord] = []
    /// Records from the entitlement topic.
    package private(set) var states: [KafkaRecord] = []
    /// The identifiers by which records without a key are recognized: the originalTransactionIds of the purchases, and
    /// the identifier of the story.
    private let claims: Set<IndexedName>

    /// - Parameter identifier: the story's identifier, as each of the kinds that it may have.
    package init(
        _ names: TopicNames, _ environment: AppStoreEnvironment, keys: Set<[UInt8]>, notificationUUID: String? = nil,
        identifier: Set<IndexedName> = []
    ) {
        self.names = names
        self.environment = environment
        self.keys = keys
        self.notificationUUID = notificationUUID
        claims = identifier.union(
            keys.compactMap { RecordKey.parts(of: String(decoding: $0, as: UTF8.self)) }
                .map { IndexedName(.originalTransactionId, $0.subject) })
    }

    package mutating func take(_ record: KafkaRecord) {
        let topic = record.topic
        if topic == names.notifications(environment) {
            if isWanted(record) { notifications.append(record) }
        } else if topic == names.entitlements(environment) {
            if let key = record.key, keys.contains(key) { states.append(record) }
        } else if topic == names.quarantine {
            if isQuarantineWanted(record) { quarantined.append(record) }
        } else if topic.rawValue.hasSuffix(".dlq") {
            if isWanted(record) { deadLetters.append(record) }
        }
    }

    /// Sorts the records by position. They are collected out of order, because several partitions are read
    /// concurrently.
    package mutating func sort() {
        func sorted(_ records: [KafkaRecord]) -> [KafkaRecord] {
            records.sorted {
                ($0.topic.rawValue, $0.partition, $0.offset) < ($1.topic.rawValue, $1.partition, $1.offset)
            }
        }
        notifications = sorted(notifications)
        deadLetters = sorted(deadLetters)
        quarantined = sorted(quarantined)
        states = sorted(states)
    }

    /// Adds an archived record unless the same record was read from Kafka.
    package mutating func take(archived record: KafkaRecord) {
        let position = (record.topicPartition, record.offset)
        guard !notifications.contains(where: { ($0.topicPartition, $0.offset) == position }) else { return }
        take(record)
    }

    private func isWanted(_ record: KafkaRecord) -> Bool {
        if let key = record.key, keys.contains(key) { return true }
        return isNamed(record)
    }

    private func isNamed(_ record: KafkaRecord) -> Bool {
        guard let notificationUUID else { return false }
        return record.text(.id)?.lowercased() == notificationUUID
    }

    /// Returns whether a quarantined record belongs to the story. The identifiers in quarantined notifications are read
    /// without verification, so they are mere claims. Both environments share the topic, and may share an account.
    private func isQuarantineWanted(_ record: KafkaRecord) -> Bool {
        let claimed = IndexedName.names(of: record, kind: .quarantine)
        if let notificationUUID { return claimed.contains(IndexedName(.notificationUUID, notificationUUID)) }
        let kept = QuarantineRecord(key: record.key, value: nil, headers: record.headers)
        guard kept.environment.map({ $0 == environment }) ?? true else { return false }
        return !claimed.isDisjoint(with: claims)
    }
}
