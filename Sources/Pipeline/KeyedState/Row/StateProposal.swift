public import Kafka

/// A proposal in a keyed state's log. The winner for a key is the proposal with the smallest offset in the latest round
/// (``StateModel/round(of:in:)``).
public struct StateProposal: Sendable, Equatable {
    public let value: [UInt8]
    /// The offset of the first record that contained the proposal; -1 if that record was in an earlier topic of the
    /// same name.
    public let offset: Int64

    init(value: [UInt8], offset: Int64) {
        self.value = value
        self.offset = offset
    }

    /// Reads the proposal in a record from a state's topic; nil if there is none.
    public init?(_ record: KafkaRecord) {
        guard let value = record.header(RecordMark.proposal)?.value else { return nil }
        let named = record.header(RecordMark.proposalOffset)?.value.flatMap {
            Int64(String(decoding: $0, as: UTF8.self))
        }
        // The first record with the proposal cannot come after this one. A record that does not name an offset is the
        // first one.
        self.init(value: value, offset: min(named ?? record.offset.rawValue, record.offset.rawValue))
    }

    /// Returns the proposal header, for producers that write to the topic without a keyed state.
    public static func header(_ value: [UInt8]) -> KafkaHeader { KafkaHeader(key: RecordMark.proposal, value: value) }

    var headers: [KafkaHeader] {
        [Self.header(value), KafkaHeader(key: RecordMark.proposalOffset, text: String(offset))]
    }
}
