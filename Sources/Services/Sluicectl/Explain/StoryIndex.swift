internal import Kafka
internal import Primitives
internal import Reconciliation
internal import Records
internal import Story

/// Finds a notification's record key by its notificationUUID. Reads the reconciliation topic, where sluice-reconciler
/// stores a digest of each notificationUUID under the record key. The reconciliation topic is only one twentieth the
/// size of the notification topic.
struct StoryIndex {
    private let mark: NotificationMark
    private(set) var key: [UInt8]?

    init(notificationUUID: String) { mark = NotificationMark(of: notificationUUID) }

    /// Excludes rows without the digest.
    var filter: KafkaRecordFilter {
        let digest = ByteSearch(mark.bytes)
        return KafkaRecordFilter { _, value in value.map { digest.isFound(in: $0) } ?? false }
    }

    /// - Returns: whether the search continues.
    mutating func take(_ record: KafkaRecord) -> Bool {
        guard let value = record.value, let row = try? ReconciliationRow(bytes: value), let received = row.received,
            received.contains(mark), RecordKey.parts(of: received.key) != nil
        else { return true }
        key = row.key
        return false
    }
}
