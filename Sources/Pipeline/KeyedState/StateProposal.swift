public import Kafka

/// A proposal in the log of a keyed state. Of several for one key one of the latest round wins
/// (``StateModel/round(of:in:)``), inside a round the one with the smallest offset.
public struct StateProposal: Sendable, Equatable {
    public let value: [UInt8]
    /// Of the record that first held it; -1 when that was in an earlier topic of this name.
    public let offset: Int64

    init(value: [UInt8], offset: Int64) {
        self.value = value
        self.offset = offset
    }

    /// The proposal that a record of a state's topic holds; nil for none.
    public init?(_ record: KafkaRecord) {
        guard let value = record.header(RecordMark.proposal)?.value else { return nil }
        let named = record.header(RecordMark.proposalOffset)?.value.flatMap {
            Int64(String(decoding: $0, as: UTF8.self))
        }
        // A proposal cannot be older than it is in the log; where the record names nothing, it is the first to hold it.
        self.init(value: value, offset: min(named ?? record.offset.rawValue, record.offset.rawValue))
    }

    /// The header by which a record proposes something for its key, for whoever writes the topic without a keyed state.
    public static func header(_ value: [UInt8]) -> KafkaHeader { KafkaHeader(key: RecordMark.proposal, value: value) }

    var headers: [KafkaHeader] {
        [Self.header(value), KafkaHeader(key: RecordMark.proposalOffset, text: String(offset))]
    }
}
