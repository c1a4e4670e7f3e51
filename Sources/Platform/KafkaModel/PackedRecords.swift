/// Records from one partition in a few blocks of memory. Code that reads millions of records would otherwise spend much
/// of its time allocating arrays for keys, values and headers.
package struct PackedRecords: Sendable {
    struct Item {
        let offset: KafkaOffset
        let timestampMilliseconds: Int64?
        /// The index of the block that contains the key, the value and the headers, in that order.
        let block: Int
        /// The position of the key in the block.
        let start: Int
        /// The length of the key in bytes; -1 for a null key.
        let keyLength: Int
        /// The length of the value in bytes; -1 for a null value.
        let valueLength: Int
        let headersLength: Int
        let headerCount: Int
    }

    /// The capacity of a block in bytes; a larger record gets a larger block. Blocks of this size are reused by malloc,
    /// and larger ones are returned to the system, which takes longer.
    private static let capacity = 64 << 10

    /// The records' partition.
    package let topicPartition: KafkaTopicPartition
    /// The records' bytes.
    package private(set) var blocks: [[UInt8]] = []
    private(set) var items: [Item] = []
    /// The number of free bytes in the last block.
    private var free = 0

    /// Creates an empty list.
    package init(_ topicPartition: KafkaTopicPartition) { self.topicPartition = topicPartition }

    /// Creates a packed copy of records.
    package init(_ records: [KafkaRecord], of topicPartition: KafkaTopicPartition) {
        self.init(topicPartition)
        for record in records { append(record) }
    }

    /// The number of records.
    package var count: Int { items.count }

    /// Appends a copy of a record.
    ///
    /// - Parameters:
    ///   - key: the key; nil means a null key.
    ///   - value: the value; nil means a tombstone.
    /// - Returns: the number of bytes in the key, the value and the headers.
    @discardableResult
    package mutating func append(
        offset: KafkaOffset, timestampMilliseconds: Int64?, key: UnsafeRawBufferPointer?,
        value: UnsafeRawBufferPointer?, headers: PackedHeaders
    ) -> Int {
        let length = (key?.count ?? 0) + (value?.count ?? 0) + headers.byteCount
        if length > free || blocks.isEmpty { addBlock(for: length) }
        let block = blocks.count - 1
        let start = blocks[block].count
        if let key { blocks[block].append(contentsOf: key) }
        if let value { blocks[block].append(contentsOf: value) }
        headers.append(to: &blocks[block])
        free -= length
        items.append(
            Item(
                offset: offset, timestampMilliseconds: timestampMilliseconds, block: block, start: start,
                keyLength: key?.count ?? -1, valueLength: value?.count ?? -1, headersLength: headers.byteCount,
                headerCount: headers.count))
        return (key?.count ?? 0) + (value?.count ?? 0) + headers.payloadBytes
    }

    /// Appends a copy of a record.
    package mutating func append(_ record: KafkaRecord) {
        func append(_ key: UnsafeRawBufferPointer?, _ value: UnsafeRawBufferPointer?) {
            self.append(
                offset: record.offset, timestampMilliseconds: record.timestampMilliseconds, key: key, value: value,
                headers: record.packedHeaders)
        }
        // An empty array may have no address, but an empty key differs from a null one.
        (record.key ?? []).withUnsafeBytes { key in
            (record.value ?? []).withUnsafeBytes { value in
                append(record.key == nil ? nil : key, record.value == nil ? nil : value)
            }
        }
    }

    private mutating func addBlock(for length: Int) {
        let capacity = max(Self.capacity, length)
        var block: [UInt8] = []
        block.reserveCapacity(capacity)
        blocks.append(block)
        free = capacity
    }

    /// Calls `body` with each record in order. The buffers are valid only during the call.
    package func forEach(_ body: (BorrowedRecord) throws -> Void) rethrows {
        var index = 0
        while index < items.count {
            let block = items[index].block
            try blocks[block].withUnsafeBytes { bytes in
                while index < items.count, items[index].block == block {
                    try body(BorrowedRecord(index: index, item: items[index], bytes: bytes))
                    index += 1
                }
            }
        }
    }

    /// Returns a copy of one record.
    ///
    /// - Parameter index: an index less than ``count``.
    package func record(at index: Int) -> KafkaRecord {
        let item = items[index]
        return blocks[item.block].withUnsafeBytes { bytes in
            let record = BorrowedRecord(index: index, item: item, bytes: bytes)
            return KafkaRecord(
                topic: topicPartition.topic, partition: topicPartition.partition, offset: item.offset,
                timestampMilliseconds: item.timestampMilliseconds, key: record.key.map { Array($0) },
                value: record.value.map { Array($0) },
                packedHeaders: PackedHeaders(record.headers, count: item.headerCount))
        }
    }

    /// A copy of the last record; nil if there is none.
    package var last: KafkaRecord? { items.isEmpty ? nil : record(at: items.count - 1) }

    /// Copies of all records.
    package var list: [KafkaRecord] { items.indices.map { record(at: $0) } }
}
