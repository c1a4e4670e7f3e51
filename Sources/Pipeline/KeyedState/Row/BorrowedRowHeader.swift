/// The fields of a ``RowHeader``, borrowed from the record's memory and valid only as long as that memory.
struct BorrowedRowHeader {
    /// Byte range of the row in the value.
    let range: Range<Int>
    let checksum: UInt64
    let due: Int64?
    let deadline: Int64?
    /// Valid packed entries.
    let entries: UnsafeRawBufferPointer

    /// Parses the output of ``RowHeader/text``; nil if the input is anything else.
    ///
    /// - Parameter count: the length of the record's value in bytes.
    init?(_ text: UnsafeRawBufferPointer, ofValueWith count: Int) {
        guard text.count <= RowHeader.maximumLength else { return nil }
        var fields = FieldReader(text)
        guard let version = fields.next(), RowHeader.isVersion(version),
            let first = fields.nextNumber(), let length = fields.nextNumber(),
            first >= 0, length > 0, first <= count, length <= Int64(count) - first,
            let checksum = fields.nextHexadecimal(), let due = fields.nextOptionalNumber(),
            let deadline = fields.nextOptionalNumber(), PackedEntries.isValid(fields.rest)
        else { return nil }
        range = Int(clamping: first)..<Int(clamping: first + length)
        self.checksum = checksum
        self.due = due
        self.deadline = deadline
        entries = fields.rest
    }
}
