package import KafkaModel

/// The exact content of a Kafka record: the plaintext to encrypt.
package struct ArchivedRecord: Hashable, Sendable {
    static let formatVersion: UInt8 = 1

    /// The key; nil if it is null rather than empty.
    package let key: [UInt8]?
    /// The value; nil for a tombstone.
    package let value: [UInt8]?
    /// The headers, in the record's order.
    package let headers: [KafkaHeader]

    package init(key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader]) {
        self.key = key
        self.value = value
        self.headers = headers
    }

    package init(_ record: KafkaRecord) { self.init(key: record.key, value: record.value, headers: record.headers) }

    /// Returns the record as the consumer read it.
    package func record(of leaf: ArchiveLeaf) -> KafkaRecord {
        KafkaRecord(
            topic: leaf.position.topic, partition: leaf.position.partition, offset: leaf.position.offset,
            timestampMilliseconds: leaf.timestampMilliseconds, key: key, value: value, headers: headers)
    }

    /// The number of bytes that ``append(to:)`` appends.
    var byteCount: Int {
        headers.reduce(1 + 4 + (key?.count ?? 0) + 4 + (value?.count ?? 0) + 2) {
            $0 + 2 + $1.key.utf8.count + 4 + ($1.value?.count ?? 0)
        }
    }

    /// - Throws: ``ArchiveError`` with code `tooLong` for more than 65,535 headers, a header name longer than
    ///   65,535 bytes, or any other field of 2 GiB or more.
    func append(to bytes: inout [UInt8]) throws(ArchiveError) {
        guard let headerCount = UInt16(exactly: headers.count) else {
            throw ArchiveError(.tooLong, "the record has too many headers: \(headers.count)")
        }
        bytes.append(Self.formatVersion)
        try Self.append(key, to: &bytes)
        try Self.append(value, to: &bytes)
        bytes.append(bigEndian: headerCount)
        for header in headers {
            guard let count = UInt16(exactly: header.key.utf8.count) else {
                throw ArchiveError(.tooLong, "a header name is too long: \(header.key.utf8.count) bytes")
            }
            bytes.append(bigEndian: count)
            bytes.append(contentsOf: header.key.utf8)
            try Self.append(header.value, to: &bytes)
        }
    }

    /// Parses the output of ``append(to:)``. Trailing bytes are an error.
    ///
    /// - Throws: ``ArchiveError`` with code `malformedContent`.
    init(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        var reader = BigEndianReader(bytes)
        guard let version = reader.integer(UInt8.self), version == Self.formatVersion else {
            throw ArchiveError(.malformedContent, "the format version of the record is unknown")
        }
        key = try Self.optionalBytes(&reader)
        value = try Self.optionalBytes(&reader)
        guard let count = reader.integer(UInt16.self) else { throw Self.cutOff }
        var headers: [KafkaHeader] = []
        for _ in 0..<count {
            guard let length = reader.integer(UInt16.self), let name = reader.text(Int(length)) else {
                throw Self.cutOff
            }
            headers.append(KafkaHeader(key: name, value: try Self.optionalBytes(&reader)))
        }
        self.headers = headers
        guard reader.remaining == 0 else {
            throw ArchiveError(.malformedContent, "\(reader.remaining) bytes follow the record")
        }
    }

    private static let cutOff = ArchiveError(
        .malformedContent, "the record is truncated, or a name is not text")

    private static func append(_ value: [UInt8]?, to bytes: inout [UInt8]) throws(ArchiveError) {
        guard let value else {
            bytes.append(bigEndian: Int32(-1))
            return
        }
        guard let count = Int32(exactly: value.count) else {
            throw ArchiveError(.tooLong, "a key or value is too long: \(value.count) bytes")
        }
        bytes.append(bigEndian: count)
        bytes.append(contentsOf: value)
    }

    private static func optionalBytes(_ reader: inout BigEndianReader) throws(ArchiveError) -> [UInt8]? {
        guard let count = reader.integer(Int32.self), count >= -1 else { throw cutOff }
        if count == -1 { return nil }
        guard let bytes = reader.take(Int(count)) else { throw cutOff }
        return Array(bytes)
    }
}
