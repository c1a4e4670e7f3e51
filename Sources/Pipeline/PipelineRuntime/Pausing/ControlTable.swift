package import Kafka

/// The record in effect for each group, computed from the records in the control topic, in log order.
///
/// An unreadable record changes nothing, so a damaged record neither pauses nor resumes a group.
package struct ControlTable: Sendable {
    /// The maximum length of a group name, in bytes. Kafka's own limit for a key is much higher.
    private static let maximumNameBytes = 1024

    /// The record in effect for each group. A group whose last record is a tombstone has none.
    package private(set) var records: [KafkaConsumerGroup: ControlRecord] = [:]
    /// The groups to keep, or nil for all.
    private let groups: Set<KafkaConsumerGroup>?

    /// - Parameter groups: the groups to keep, so that the size of the table is limited; nil keeps all groups.
    package init(only groups: Set<KafkaConsumerGroup>? = nil) {
        self.groups = groups
    }

    /// Returns the record for a paused group, or nil if the group is running.
    package func pause(of group: KafkaConsumerGroup) -> ControlRecord? {
        records[group].flatMap { $0.state == .paused ? $0 : nil }
    }

    /// Applies a record.
    ///
    /// - Throws: ``ControlRecordError`` if the record is malformed; in that case, the table is unchanged.
    package mutating func apply(_ record: KafkaRecord) throws(ControlRecordError) {
        guard let key = record.key, !key.isEmpty, key.count <= Self.maximumNameBytes,
            let name = String(validating: key, as: UTF8.self)
        else { throw ControlRecordError(description: "the key is not a group name") }
        let group = KafkaConsumerGroup(rawValue: name)
        let change = try record.value.map { value throws(ControlRecordError) in try ControlRecord(json: value) }
        guard groups?.contains(group) ?? true else { return }
        records[group] = change
    }
}
