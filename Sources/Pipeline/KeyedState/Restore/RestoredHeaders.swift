internal import Glibc
internal import Kafka

/// The record headers that a restore examines.
struct RestoredHeaders {
    /// The last value of ``RecordMark/header``; nil if it is missing or null.
    private(set) var mark: UnsafeRawBufferPointer?
    /// The last value of ``StateHeader/row``; nil if it is missing or null.
    private(set) var row: UnsafeRawBufferPointer?
    private(set) var hasProposal = false

    private static let names = (
        mark: Array(StateHeader.mark.utf8), row: Array(StateHeader.row.utf8), proposal: Array(RecordMark.proposal.utf8)
    )

    init(_ record: BorrowedRecord) {
        let names = Self.names
        record.forEachHeader { name, value in
            if Self.isEqual(name, names.mark) {
                mark = value
            } else if Self.isEqual(name, names.row) {
                row = value
            } else if Self.isEqual(name, names.proposal) {
                hasProposal = true
            }
        }
    }

    private static func isEqual(_ name: UnsafeRawBufferPointer, _ other: [UInt8]) -> Bool {
        guard name.count == other.count, let start = name.baseAddress else { return false }
        return memcmp(start, other, name.count) == 0
    }
}
