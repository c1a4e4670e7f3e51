internal import Kafka

/// A row that a restore copies from a record without decoding it.
struct CopiedRow: Sendable {
    let key: [UInt8]
    /// The value of the record.
    let value: [UInt8]
    let header: RowHeader
    let form: Int64
    let proposal: StateProposal?

    /// The stored columns of the row.
    var image: RowImage {
        RowImage(
            encoded: Array(value[header.range]), form: form, due: header.due, deadline: header.deadline,
            proposal: proposal, entries: header.entries.list)
    }
}
