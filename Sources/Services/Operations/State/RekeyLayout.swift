internal import Kafka
internal import KeyedState

/// Two topics of one state and their numbers of partitions.
struct RekeyLayout {
    let source: KafkaTopic
    let sourcePartitions: Int32
    let target: KafkaTopic
    let targetPartitions: Int32

    /// Returns the key of a record that members read; nil for a record that they skip.
    ///
    /// A record without a member's mark is skipped in any partition other than that of its key. A record with a mark
    /// may be in another partition because partitions were added.
    func key(of record: KafkaRecord) -> [UInt8]? {
        guard let key = record.key else { return nil }
        let isMember = record.header(StateHeader.mark) != nil
        let partitions = record.topic == target ? targetPartitions : sourcePartitions
        return isMember || KafkaPartition(ofKey: key, partitions: partitions) == record.partition ? key : nil
    }

    func targetPartition(of key: [UInt8]) -> KafkaPartition {
        KafkaPartition(ofKey: key, partitions: targetPartitions)
    }

    /// Returns the record for the target: equal byte for byte except for the partition and ``headers(of:)``.
    func copy(of record: KafkaRecord, _ key: [UInt8]) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: target, partition: targetPartition(of: key), timestampMilliseconds: record.timestampMilliseconds,
            key: key, value: record.value, headers: headers(of: record))
    }

    /// Upper bound of the offsets in the source, 2^48.
    static let offsetBound: Int64 = 1 << 48

    /// Returns the headers of a source record for the target.
    ///
    /// The proposal with the smaller offset wins, and offsets of the target begin at 0. The offset of each copied
    /// proposal is therefore moved below 0 by the same distance: their order is preserved, and they precede every later
    /// proposal.
    private func headers(of record: KafkaRecord) -> [KafkaHeader] {
        guard let proposal = StateProposal(record) else { return record.headers }
        let (offset, isOverflow) = proposal.offset.subtractingReportingOverflow(Self.offsetBound)
        return record.headers.filter { $0.key != StateHeader.proposalOffset }
            + [KafkaHeader(key: StateHeader.proposalOffset, text: String(isOverflow ? .min : offset))]
    }
}
