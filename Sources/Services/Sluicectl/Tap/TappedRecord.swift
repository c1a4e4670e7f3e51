internal import AppStoreModel
internal import JSON
internal import Kafka
internal import Records

/// A record, decoded according to its topic.
struct TappedRecord {
    enum Content {
        case notification(NotificationRecord)
        case quarantine(QuarantineRecord)
        /// Any other JSON: entitlements, refund cases, or a topic that is not Sluice's.
        case json(JSONElement)
        case tombstone
        /// A value that could not be decoded, with the reason.
        case undecodable(String)

        /// The value of `kind` in the JSON output. These values are a public contract.
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

    /// Returns whether a topic contains only notifications, as the notification topics and their dead letter topics do.
    private static func isOfNotifications(_ topic: KafkaTopic, _ names: TopicNames) -> Bool {
        AppStoreEnvironment.published.map { names.notifications($0).rawValue }.contains {
            topic.rawValue == $0 || topic.rawValue.hasPrefix($0 + ".")
        }
    }
}
