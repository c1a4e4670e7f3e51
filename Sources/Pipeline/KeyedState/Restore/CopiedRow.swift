/// A row that a restore copies from a record without decoding the record's value. Ranges are positions in the record's
/// block.
struct CopiedRow: Sendable {
    /// Hash of the key (see ``RestoredKeys``).
    let keyHash: UInt64
    let key: Range<Int>
    /// The encoded row in the value of the record.
    let state: Range<Int>
    /// The packed index entries of the row.
    let entries: Range<Int>
    let due: Int64?
    let deadline: Int64?
    let form: Int64
    let proposal: StateProposal?

    /// Returns the stored columns of the row.
    func image(in block: UnsafeRawBufferPointer) -> RowImage {
        let packed = PackedEntries(UnsafeRawBufferPointer(rebasing: block[entries]))
        return RowImage(
            encoded: Array(block[state]), form: form, due: due, deadline: deadline, proposal: proposal,
            entries: packed?.list ?? [])
    }
}

/// The rows that a restore copies from a batch of records, with the records' memory.
struct CopiedRows: Sendable {
    private var blocks: [[UInt8]] = []
    private var rows: [(row: CopiedRow, block: Int)] = []

    init() {}

    /// Creates a list without rows.
    ///
    /// - Parameter blocks: the bytes of the records.
    init(of blocks: [[UInt8]]) { self.blocks = blocks }

    var count: Int { rows.count }

    /// Whether any row has a time for its next publication or a deadline.
    private(set) var haveTimes = false

    /// Appends a row from a record in the block with this index.
    mutating func append(_ row: CopiedRow, in block: Int) {
        rows.append((row, block))
        if row.due != nil || row.deadline != nil { haveTimes = true }
    }

    /// Calls `body` with each row and its block, in order. The block is valid only during the call.
    func forEach(_ body: (CopiedRow, UnsafeRawBufferPointer) throws -> Void) rethrows {
        var index = 0
        while index < rows.count {
            let block = rows[index].block
            try blocks[block].withUnsafeBytes { bytes in
                while index < rows.count, rows[index].block == block {
                    try body(rows[index].row, bytes)
                    index += 1
                }
            }
        }
    }
}
