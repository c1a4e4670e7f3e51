internal import Kafka
internal import KeyedState

/// The source and target topics of one state, with their partition counts.
struct RekeyLayout {
    let source: KafkaTopic
    let sourcePartitions: Int32
    let target: KafkaTopic
    let targetPartitions: Int32

    /// Returns the key of a record, or nil if members skip the record.
    ///
    /// A member marks its records with the header `sluice.state`. A marked record is valid in any partition, because
    /// its key may have belonged there before partitions were added. Members skip another writer's record unless it is
    /// in its key's partition.
    func key(of record: KafkaRecord) -> [UInt8]? {
        guard let key = record.key else { return nil }
        let isMember = record.header(StateHeader.mark) != nil
        let partitions = record.topic == target ? targetPartitions : sourcePartitions
        return isMember || KafkaPartition(ofKey: key, partitions: partitions) == record.partition ? key : nil
    }

    func targetPartition(of key: [UInt8]) -> KafkaPartition {
        KafkaPartition(ofKey: key, partitions: targetPartitions)
    }

    /// Returns the record for the target: an exact copy except for the partition and ``headers(of:)``.
    func copy(of record: KafkaRecord, _ key: [UInt8]) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: target, partition: targetPartition(of: key), timestampMilliseconds: record.timestampMilliseconds,
            key: key, value: record.value, headers: headers(of: record))
    }

    /// An upper bound for offsets in the source: 2^48.
    static let offsetBound: Int64 = 1 << 48

    /// Returns the headers of a source record's copy in the target.
    ///
    /// The proposal with the smallest offset wins, and offsets in the target begin at 0. The offset in each copied
    /// proposal is therefore reduced by the same amount, to a negative number. This preserves the order of the copied
    /// proposals and puts them before all later ones.
    private func headers(of record: KafkaRecord) -> [KafkaHeader] {
        guard let proposal = StateProposal(record) else { return record.headers }
        let (offset, isOverflow) = proposal.offset.subtractingReportingOverflow(Self.offsetBound)
        return record.headers.filter { $0.key != StateHeader.proposalOffset }
            + [KafkaHeader(key: StateHeader.proposalOffset, text: String(isOverflow ? .min : offset))]
    }
}
