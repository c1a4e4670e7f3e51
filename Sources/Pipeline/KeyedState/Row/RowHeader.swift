internal import Glibc
internal import Kafka

/// The header that lets a restore copy a row from a record without decoding the value: the row's database columns, and
/// its position in the value.
///
/// `sluice.state.row` is text that consists of fields, each terminated by `;`: the header version, the row's first byte
/// and length in the value, a checksum of the row, the time of the next publication and the deadline (milliseconds
/// since 1970, empty if there is none), then a name and a value for each index entry. A record without the header is
/// decoded as usual. So is a record whose header is too long, whose row does not match the checksum, or whose
/// fingerprint or version differs.
struct RowHeader: Equatable {
    /// Byte range of the row in the value.
    var range: Range<Int>
    var checksum: UInt64
    var due: Int64?
    var deadline: Int64?
    var entries = PackedEntries()

    /// Maximum length of a published header, in bytes.
    static let maximumLength = 512
    /// The database schema version, which is also incremented when rows get additional index entries, and the checksum
    /// version.
    static let version = "\(StateVersions.database).2"

    init(range: Range<Int>, checksum: UInt64, due: Int64?, deadline: Int64?, entries: PackedEntries) {
        self.range = range
        self.checksum = checksum
        self.due = due
        self.deadline = deadline
        self.entries = entries
    }

    /// Creates the header for a row to publish.
    ///
    /// - Returns: nil if the value does not contain the encoded row, or if an entry contains the field terminator.
    init?(_ image: RowImage, in value: [UInt8]?) {
        guard let value, let first = Self.position(of: image.encoded, in: value),
            let entries = PackedEntries(image.entries)
        else { return nil }
        self.init(
            range: first..<first + image.encoded.count, checksum: image.encoded.withUnsafeBytes(Self.checksum),
            due: image.due,
            deadline: image.deadline, entries: entries)
    }

    /// Returns whether the value contains the row at this position, according to the checksum.
    static func isRow(at range: Range<Int>, of value: UnsafeRawBufferPointer, checksum: UInt64) -> Bool {
        guard range.upperBound <= value.count else { return false }
        return Self.checksum(of: UnsafeRawBufferPointer(rebasing: value[range])) == checksum
    }

    /// Returns a hash over words of eight bytes, in four interleaved sequences that a processor computes in parallel.
    /// It detects changes, but not a writer that forges both row and checksum.
    static func checksum(of row: UnsafeRawBufferPointer) -> UInt64 {
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: row.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        let seed: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(row.count)
        var (first, second, third, fourth) = (seed, seed &+ 1, seed &+ 2, seed &+ 3)
        var offset = 0
        while offset + 32 <= row.count {
            first = mix(first, word(offset))
            second = mix(second, word(offset + 8))
            third = mix(third, word(offset + 16))
            fourth = mix(fourth, word(offset + 24))
            offset += 32
        }
        var hash = mix(mix(mix(first, second), third), fourth)
        while offset + 8 <= row.count {
            hash = mix(hash, word(offset))
            offset += 8
        }
        var last: UInt64 = 0
        for index in offset..<row.count { last = last << 8 | UInt64(row[index]) }
        return mix(hash, last)
    }

    /// Mixes a word into a hash the way FNV-1a mixes in a byte.
    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* 0x0000_0100_0000_01b3
        // Multiplication carries only toward higher bits, so mix the upper half into the lower one.
        return product ^ product >> 32
    }

    /// The text of the header; nil if it would be too long.
    var text: [UInt8]? {
        var text: [UInt8] = []
        text.reserveCapacity(96 + entries.text.count)
        func end() { text.append(PackedEntries.end) }
        func add(_ number: Int64?) {
            if let number {
                if number < 0 { text.append(UInt8(ascii: "-")) }
                Self.append(number.magnitude, radix: 10, to: &text)
            }
            end()
        }
        text += Self.version.utf8
        end()
        add(Int64(range.lowerBound))
        add(Int64(range.count))
        Self.append(checksum, radix: 16, to: &text)
        end()
        add(due)
        add(deadline)
        text += entries.text
        return text.count <= Self.maximumLength ? text : nil
    }

    /// Appends the digits of a number; digits above 9 are lower-case letters.
    private static func append(_ number: UInt64, radix: UInt64, to text: inout [UInt8]) {
        let start = text.count
        var rest = number
        repeat {
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            rest /= radix
        } while rest > 0
        text[start...].reverse()
    }

    /// Parses the output of ``text``; nil if the input is anything else.
    ///
    /// - Parameter count: the length of the record's value in bytes.
    init?(_ text: UnsafeRawBufferPointer, ofValueWith count: Int) {
        guard let header = BorrowedRowHeader(text, ofValueWith: count), let entries = PackedEntries(header.entries)
        else { return nil }
        self.init(
            range: header.range, checksum: header.checksum, due: header.due, deadline: header.deadline,
            entries: entries)
    }

    /// Returns whether a field is the current schema version.
    static func isVersion(_ field: UnsafeRawBufferPointer) -> Bool {
        var version = version
        return version.withUTF8 { version in
            guard version.count == field.count, let one = version.baseAddress, let other = field.baseAddress else {
                return false
            }
            return memcmp(one, other, field.count) == 0
        }
    }

    /// Returns the position of the encoded row, which is either the start or the last member of the value.
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
