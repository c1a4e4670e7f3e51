internal import AppStoreModel
internal import JSON
internal import Kafka
internal import Records

/// A record, decoded according to its topic.
struct TappedRecord {
    enum Content {
        case notification(NotificationRecord)
        case quarantine(QuarantineRecord)
        /// JSON of another kind: entitlements, refund cases, a foreign topic.
        case json(JSONElement)
        case tombstone
        /// The reason why the value could not be decoded.
        case undecodable(String)

        /// The values of `kind` in the JSON: a contract.
        var kind: String {
            switch self {
            case .notification: "notification"
            case .quarantine: "quarantine"
            case .json: "json"
            case .tombstone: "tombstone"
            case .undecodable: "undecodable"
            }
        }
    }

    let record: KafkaRecord
    let content: Content

    /// - Parameter names: the topics of the installation, which determine how a record is decoded.
    init(_ record: KafkaRecord, names: TopicNames) {
        self.record = record
        content = Self.content(of: record, names)
    }

    private static func content(of record: KafkaRecord, _ names: TopicNames) -> Content {
        guard let value = record.value else { return .tombstone }
        if record.text(.quarantineReason) != nil {
            return .quarantine(QuarantineRecord(key: record.key, value: value, headers: record.headers))
        }
        do throws(RecordError) {
            return .notification(try NotificationRecord(key: record.key, value: value, headers: record.headers))
        } catch {
            guard error.code == .noNotification, !isOfNotifications(record.topic, names),
                let document = try? JSONDocument(value, maximumBytes: NotificationRecord.maximumValueBytes)
            else { return .undecodable(error.description) }
            return .json(document.root)
        }
    }

    /// Whether a topic contains only notifications: the notification topics and their dead letters.
    private static func isOfNotifications(_ topic: KafkaTopic, _ names: TopicNames) -> Bool {
        AppStoreEnvironment.published.map { names.notifications($0).rawValue }.contains {
            topic.rawValue == $0 || topic.rawValue.hasPrefix($0 + ".")
        }
    }
}
