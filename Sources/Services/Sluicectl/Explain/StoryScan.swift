internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import Cryptography
internal import Kafka
internal import Records
internal import Story

/// Finds the record keys for an identifier by scanning all partitions.
struct StoryScan {
    private let identifier: StoryIdentifier
    /// Excludes notification records that do not mention the identifier.
    let filter: KafkaRecordFilter
    private let names: TopicNames

    private(set) var keys: Set<[UInt8]> = []
    private(set) var kinds: Set<StoryIdentifier.Kind> = []
    private(set) var isNotification = false

    init(_ identifier: StoryIdentifier, _ names: TopicNames) {
        self.identifier = identifier
        self.names = names
        filter = StoryFilter.mentioning(identifier.text)
    }

    /// Whether the scan can stop. A notification, or a transaction in an app, has only one record key, so further
    /// matches would not add any keys. A quarantined notification has no record key.
    var isDone: Bool {
        !keys.isEmpty
            && (isNotification
                || !kinds.isDisjoint(with: [.transactionId, .originalTransactionId, .webOrderLineItemId]))
    }

    mutating func take(_ record: KafkaRecord) {
        guard let kind = ArchiveKind(topic: record.topic, names: names) else { return }
        let claimed = IndexedName.names(of: record, kind: kind)
        let found = identifier.kinds.filter { name in
            name.indexed.map { claimed.contains(IndexedName($0, identifier.text)) } ?? false
        }
        guard !found.isEmpty else { return }
        kinds.formUnion(found)
        if found.contains(.notificationUUID) { isNotification = true }
        if kind != .quarantine, let key = record.key { keys.insert(key) }
    }
}

/// Finds the record key of a state by the digest in its webhook-id.
struct StoryDigest: Sendable {
    let digest: String

    /// Excludes states of other purchases.
    var filter: KafkaRecordFilter {
        KafkaRecordFilter { key, _ in key.map { matches(Array($0)) } ?? false }
    }

    func matches(_ record: KafkaRecord) -> Bool { record.key.map(matches) ?? false }

    private func matches(_ key: [UInt8]) -> Bool { SHA256.digest(of: key).hex.hasPrefix(digest) }
}
