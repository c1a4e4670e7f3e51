/// One record in ``PackedRecords``. Its buffers are valid only during the call that passes the record.
package struct BorrowedRecord {
    /// The record's index.
    package let index: Int
    /// The index of the block with the record's bytes.
    package let block: Int
    /// The record's position in the partition.
    package let offset: KafkaOffset
    /// The timestamp in milliseconds since 1970; nil if the record has none.
    package let timestampMilliseconds: Int64?
    /// The position of the key in the block; nil for a null key.
    package let keyRange: Range<Int>?
    /// The position of the value in the block; nil for a tombstone.
    package let valueRange: Range<Int>?
    private let headersRange: Range<Int>
    private let bytes: UnsafeRawBufferPointer

    init(index: Int, item: PackedRecords.Item, bytes: UnsafeRawBufferPointer) {
        self.index = index
        self.bytes = bytes
        block = item.block
        offset = item.offset
        timestampMilliseconds = item.timestampMilliseconds
        let value = item.start + max(0, item.keyLength)
        let headers = value + max(0, item.valueLength)
        keyRange = item.keyLength < 0 ? nil : item.start..<value
        valueRange = item.valueLength < 0 ? nil : value..<headers
        headersRange = headers..<headers + item.headersLength
    }

    /// The key; nil for a null key.
    package var key: UnsafeRawBufferPointer? { keyRange.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) } }

    /// The value; nil for a tombstone.
    package var value: UnsafeRawBufferPointer? { valueRange.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) } }

    /// The packed headers.
    var headers: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[headersRange]) }

    /// Returns the range that a part of this record, such as its value, occupies in the block.
    package func range(of part: UnsafeRawBufferPointer) -> Range<Int> {
        guard let start = part.baseAddress, let first = bytes.baseAddress else { return 0..<0 }
        return start - first..<start - first + part.count
    }

    /// Calls `body` with the name and value of each header in order; a null value is passed as nil.
    package func forEachHeader(
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Void
    ) { PackedHeaders.forEach(in: headers, body) }
}
