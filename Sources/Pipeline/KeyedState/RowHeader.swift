internal import Glibc
internal import Kafka

/// The header by which a restore copies a row from a record without decoding its value: the columns of the row in the
/// database, and its position in the value.
///
/// `sluice.state.row` is text with fields, each terminated by `;`: the version of the database's schema, first byte and
/// length of the row in the value, a checksum of the row, the time of the next publication and the deadline
/// (milliseconds since 1970, empty for none), then a name and a value for each index entry. A record without the header
/// is decoded as usual. So is a record whose header is too long, whose row no longer matches the checksum, or that was
/// published by another form or for another schema.
struct RowHeader: Equatable {
    /// Position of the row in the value.
    var range: Range<Int>
    var checksum: UInt64
    var due: Int64?
    var deadline: Int64?
    var entries: [IndexEntry] = []

    /// Longest header that is published, in bytes.
    static let maximumLength = 512
    /// Changes with the schema of the database, which has a new version when rows have more index entries.
    static let version = String(StateVersions.database)
    private static let end = UInt8(ascii: ";")

    init(range: Range<Int>, checksum: UInt64, due: Int64?, deadline: Int64?, entries: [IndexEntry]) {
        self.range = range
        self.checksum = checksum
        self.due = due
        self.deadline = deadline
        self.entries = entries
    }

    /// Creates the header of a row that is published.
    ///
    /// - Returns: nil if the value does not contain the encoded row.
    init?(_ image: RowImage, in value: [UInt8]?) {
        guard let value, let first = Self.position(of: image.encoded, in: value) else { return nil }
        self.init(
            range: first..<first + image.encoded.count, checksum: Self.checksum(of: image.encoded), due: image.due,
            deadline: image.deadline, entries: image.entries)
    }

    /// Returns the row in a value; nil if it does not match the checksum.
    func row(in value: [UInt8]) -> [UInt8]? {
        guard range.upperBound <= value.count else { return nil }
        let row = Array(value[range])
        return Self.checksum(of: row) == checksum ? row : nil
    }

    /// Returns the FNV-1a hash over words of eight bytes: it detects changes, but not a writer who forges both row and
    /// checksum.
    static func checksum(of row: [UInt8]) -> UInt64 {
        row.withUnsafeBytes { bytes in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(bytes.count)
            var offset = 0
            while offset < bytes.count {
                var word: UInt64 = 0
                if offset + 8 <= bytes.count {
                    word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                } else {
                    for index in offset..<bytes.count { word = word << 8 | UInt64(bytes[index]) }
                }
                hash = (hash ^ word) &* 0x0000_0100_0000_01b3
                // Multiplication carries only upwards.
                hash ^= hash >> 32
                offset += 8
            }
            return hash
        }
    }

    /// The text of the header; nil if it would be too long or ambiguous.
    var text: [UInt8]? {
        var text: [UInt8] = []
        text.reserveCapacity(256)
        func add(_ field: String) {
            text += field.utf8
            text.append(Self.end)
        }
        add(Self.version)
        add(String(range.lowerBound))
        add(String(range.count))
        add(String(checksum, radix: 16))
        add(due.map { String($0) } ?? "")
        add(deadline.map { String($0) } ?? "")
        for entry in entries {
            guard text.count <= Self.maximumLength, !entry.name.utf8.contains(Self.end),
                !entry.value.utf8.contains(Self.end)
            else { return nil }
            add(entry.name)
            add(entry.value)
        }
        return text.count <= Self.maximumLength ? text : nil
    }

    /// Parses the output of ``text``; nil for anything else.
    ///
    /// - Parameter count: the length of the record's value in bytes.
    init?(_ text: UnsafeRawBufferPointer, ofValueWith count: Int) {
        guard text.count <= Self.maximumLength else { return nil }
        var fields = text.split(separator: Self.end, omittingEmptySubsequences: false)
        // Each field is terminated, including the last one.
        guard fields.popLast()?.isEmpty == true, fields.count >= 6, fields.count % 2 == 0,
            String(decoding: fields[0], as: UTF8.self) == Self.version,
            let first = Self.number(fields[1]), let length = Self.number(fields[2]),
            first >= 0, length > 0, first <= count, length <= Int64(count) - first,
            let checksum = UInt64(String(decoding: fields[3], as: UTF8.self), radix: 16),
            let due = Self.optionalNumber(fields[4]), let deadline = Self.optionalNumber(fields[5])
        else { return nil }
        let names = stride(from: 6, to: fields.count, by: 2)
        var entries: [IndexEntry] = []
        entries.reserveCapacity(names.underestimatedCount)
        for index in names {
            guard let name = String(validating: fields[index], as: UTF8.self),
                let value = String(validating: fields[index + 1], as: UTF8.self)
            else { return nil }
            entries.append(IndexEntry(name, value))
        }
        self.init(
            range: Int(clamping: first)..<Int(clamping: first + length), checksum: checksum, due: due,
            deadline: deadline, entries: entries)
    }

    private static func number(_ field: Slice<UnsafeRawBufferPointer>) -> Int64? {
        Int64(String(decoding: field, as: UTF8.self))
    }

    /// Parses a number; returns nil for malformed text, and a nil number for an empty field.
    private static func optionalNumber(_ field: Slice<UnsafeRawBufferPointer>) -> Int64?? {
        if field.isEmpty { return .some(nil) }
        guard let value = number(field) else { return nil }
        return .some(value)
    }

    /// Returns the position of the encoded row: it begins the value, or is its last member.
    private static func position(of row: [UInt8], in value: [UInt8]) -> Int? {
        guard !row.isEmpty else { return nil }
        return [0, value.count - row.count - 1].first { isEqual(row, to: value, at: $0) }
    }

    private static func isEqual(_ row: [UInt8], to value: [UInt8], at position: Int) -> Bool {
        guard position >= 0, row.count <= value.count - position else { return false }
        return value.withUnsafeBytes { value in
            row.withUnsafeBytes { row in
                guard let start = value.baseAddress, let other = row.baseAddress else { return false }
                return memcmp(start + position, other, row.count) == 0
            }
        }
    }
}
