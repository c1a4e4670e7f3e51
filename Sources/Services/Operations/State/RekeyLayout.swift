internal import Kafka
internal import KeyedState

/// Two topics of one state, with their numbers of partitions.
struct RekeyLayout {
    let source: KafkaTopic
    let sourcePartitions: Int32
    let target: KafkaTopic
    let targetPartitions: Int32

    /// The key of a record that members read; nil for one that they skip.
    ///
    /// A record without the mark of a member is skipped in another partition than that of its key. With a mark it is
    /// there because partitions were added.
    func key(of record: KafkaRecord) -> [UInt8]? {
        guard let key = record.key else { return nil }
        let isMember = record.header(StateHeader.mark) != nil
        let partitions = record.topic == target ? targetPartitions : sourcePartitions
        return isMember || KafkaPartition(ofKey: key, partitions: partitions) == record.partition ? key : nil
    }

    func targetPartition(of key: [UInt8]) -> KafkaPartition {
        KafkaPartition(ofKey: key, partitions: targetPartitions)
    }

    /// A record of the source as it is written to the target: byte for byte, but for the partition and ``headers(of:)``.
    func copy(of record: KafkaRecord, _ key: [UInt8]) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: target, partition: targetPartition(of: key), timestampMilliseconds: record.timestampMilliseconds,
            key: key, value: record.value, headers: headers(of: record))
    }

    /// Offsets in the source are less than this, 2^48.
    static let offsetBound: Int64 = 1 << 48

    /// The headers of a record of the source in the target.
    ///
    /// Of two proposals the one with the smaller offset wins, and offsets of the target begin at 0. So the offset of each
    /// is moved below 0 by the same distance: their order stays, and they precede every proposal that is made later.
    private func headers(of record: KafkaRecord) -> [KafkaHeader] {
        guard let proposal = StateProposal(record) else { return record.headers }
        let (offset, isOverflow) = proposal.offset.subtractingReportingOverflow(Self.offsetBound)
        return record.headers.filter { $0.key != StateHeader.proposalOffset }
            + [KafkaHeader(key: StateHeader.proposalOffset, text: String(isOverflow ? .min : offset))]
    }
}
