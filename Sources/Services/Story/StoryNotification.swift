internal import AppStoreModel
internal import EntitlementRules
internal import JSON
package import KafkaModel
internal import Records

/// A consumer group's committed offsets in the topics of a story.
package struct StoryGroup: Hashable, Sendable {
    package let name: String
    /// The next offset to handle, by partition. Partitions without a committed offset are absent.
    package let committed: [KafkaTopicPartition: KafkaOffset]

    package init(_ name: String, committed: [KafkaTopicPartition: KafkaOffset]) {
        self.name = name
        self.committed = committed
    }
}

/// A record from the notification topic, as read for a story.
struct StoryNotification {
    let record: KafkaRecord
    /// The parsed value, or nil if it cannot be parsed.
    let parsed: NotificationRecord?

    init(_ record: KafkaRecord) {
        self.record = record
        parsed = try? NotificationRecord(record)
    }

    /// The record's position, such as `appstore.notifications.production/3@17`.
    var position: String { Self.position(record) }
    var uuid: String? { record.text(.id)?.lowercased() }
    var isReplay: Bool { record.text(.origin) == RecordOrigin.replay.rawValue }

    /// The time when the record was written or, if unknown, received.
    var publishedAt: AppStoreInstant {
        record.timestampMilliseconds.map { AppStoreInstant(clampingMillisecondsSince1970: $0) } ?? receivedAt
            ?? .earliest
    }
    var receivedAt: AppStoreInstant? { record.text(.receivedTime).flatMap { AppStoreInstant(rfc3339: $0) } }
    var signedAt: AppStoreInstant? { record.text(.time).flatMap { AppStoreInstant(rfc3339: $0) } }

    /// The time when this installation learned of the notification. For a replayed or released record, which keeps the
    /// original time of receipt, this is the time when the record was written.
    var knownAt: AppStoreInstant { isReplay ? publishedAt : receivedAt ?? publishedAt }

    /// The notification's type, such as `DID_RENEW.BILLING_RECOVERY`.
    var type: String {
        let prefix = "com.apple.appstore."
        guard let type = record.text(.type) else {
            return parsed?.notification.notificationType?.rawValue ?? "(no type)"
        }
        return type.hasPrefix(prefix) ? String(type.dropFirst(prefix.count)) : type
    }

    static func position(_ record: KafkaRecord) -> String {
        "\(record.topic)/\(record.partition)@\(record.offset)"
    }
}
