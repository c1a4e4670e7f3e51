import Kafka
import TestSupport
import Testing

@testable import KeyedState

struct RowHeaderTests {
    private static let row = Array("a=1,2".utf8)
    private static let value = Array("{\"facts\":".utf8) + row + Array("}".utf8)

    private static func header(
        due: Int64? = nil, deadline: Int64? = nil, _ entries: [IndexEntry] = []
    ) -> RowHeader? {
        RowHeader(RowImage(encoded: row, due: due, deadline: deadline, entries: entries), in: value)
    }

    private static func checksum(of row: [UInt8]) -> UInt64 { row.withUnsafeBytes(RowHeader.checksum) }

    private func read(_ text: [UInt8], valueBytes: Int = RowHeaderTests.value.count) -> RowHeader? {
        text.withUnsafeBytes { RowHeader($0, ofValueWith: valueBytes) }
    }

    @Test(arguments: [
        RowHeaderTests.header(), RowHeaderTests.header(due: 1_700_000_000_000),
        RowHeaderTests.header(due: -1, deadline: .max), RowHeaderTests.header(deadline: .min),
        RowHeaderTests.header(due: 5, [IndexEntry("number", "1"), IndexEntry("number", ""), IndexEntry("", "é")]),
    ])
    func `a written header is read back`(header: RowHeader?) throws {
        let header = try #require(header)
        let text = try #require(header.text)
        #expect(read(text) == header)
        #expect(header.matches(Self.value))
        #expect(Array(Self.value[header.range]) == Self.row)
    }

    @Test func `the text format is fixed`() throws {
        let header = try #require(Self.header(due: 7, [IndexEntry("number", "1")]))
        let checksum = String(Self.checksum(of: Self.row), radix: 16)
        let text = try #require(header.text)
        #expect(String(decoding: text, as: UTF8.self) == "7.2;9;5;\(checksum);7;;number;1;")
        #expect(checksum == "7fa817f4051cae2c")
    }

    @Test func `the checksum of a long row is fixed`() {
        // 32 bytes in four sequences, a word and five bytes. The values are from an independent implementation.
        #expect(Self.checksum(of: (0..<45).map { UInt8($0) }) == 0x2591_8d06_2171_e54f)
        #expect(Self.checksum(of: (0..<37).map { UInt8($0) }) == 0xd7de_723d_038f_6583)
    }

    @Test func `a value without a row has no header, nor has an empty row`() {
        #expect(RowHeader(RowImage(encoded: Self.row), in: Array("a=1".utf8)) == nil)
        #expect(RowHeader(RowImage(encoded: Self.row), in: nil) == nil)
        #expect(RowHeader(RowImage(), in: Self.value) == nil)
    }

    @Test(
        arguments: [
            [IndexEntry("name;", "1")], [IndexEntry("name", ";")],
            [IndexEntry("name", String(repeating: "x", count: RowHeader.maximumLength))],
            (0..<200).map { IndexEntry("n", "\($0)") },
        ] as [[IndexEntry]])
    func `ambiguous or oversized entries are not written`(entries: [IndexEntry]) {
        #expect(Self.header(entries)?.text == nil)
    }

    @Test(arguments: [
        "", ";", "1", "1;9;5;0;;", "2;9;5;0;;;", "1;9;5;0;;;n;", "1;9;5;0;;;n;1", "1;;5;0;;;", "1;9;;0;;;",
        "1;-1;5;0;;;",
        "1;9;0;0;;;", "1;9;-5;0;;;", "1;9;100;0;;;", "1;100;1;0;;;", "1;9223372036854775807;1;0;;;",
        "1;9;9223372036854775807;0;;;", "1;99999999999999999999;5;0;;;", "1;9;5;xyz;;;", "1;9;5;0;soon;;",
        "1;9;5;0;;1.5;", "1;9;5;;;;",
    ])
    func `a malformed text is not a header`(text: String) {
        #expect(read(Self.current("1;9;5;0;;;")) != nil)
        #expect(read(Self.current(text)) == nil)
    }

    /// Replaces version 1 in a text with the current version.
    private static func current(_ text: String) -> [UInt8] {
        Array((text.hasPrefix("1") ? RowHeader.version + text.dropFirst() : text).utf8)
    }

    @Test func `invalid UTF-8 and oversized text are not a header`() {
        #expect(read(Self.current("1;9;5;0;;;n;") + [0xff, UInt8(ascii: ";")]) == nil)
        #expect(read(Self.current("1;9;5;0;;;n;") + Array("v;".utf8)) != nil)
        #expect(read([UInt8](repeating: UInt8(ascii: ";"), count: RowHeader.maximumLength + 1)) == nil)
    }

    @Test func `a header does not match the row of another value`() throws {
        let header = try #require(Self.header())
        var other = Self.value
        other[11] ^= 1
        #expect(!header.matches(other))
        #expect(!header.matches([]))
        #expect(!header.matches(Array(Self.value.dropFirst())))
    }

    @Test func `rows that differ in one bit have different checksums`() {
        var row = (0..<37).map { UInt8($0) }
        let checksum = Self.checksum(of: row)
        for index in row.indices {
            for bit in 0..<8 {
                row[index] ^= 1 << UInt8(bit)
                #expect(Self.checksum(of: row) != checksum)
                row[index] ^= 1 << UInt8(bit)
            }
        }
        #expect(Self.checksum(of: row + [0]) != checksum)
    }

    @Test func `a corrupted header never yields another row`() throws {
        var generator = SeededGenerator(seed: 5)
        let text = try #require(Self.header(due: 12, deadline: 34, [IndexEntry("number", "1")])?.text)
        for _ in 0..<5_000 {
            var changed = text
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: changed.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: changed[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: changed.remove(at: index)
                default: changed.insert(Array("0123456789;-".utf8).randomElement(using: &generator) ?? 0, at: index)
                }
                guard !changed.isEmpty else { break }
            }
            guard let header = read(changed), header.matches(Self.value) else { continue }
            #expect(Array(Self.value[header.range]) == Self.row)
        }
    }
}

extension RowHeader {
    fileprivate func matches(_ value: [UInt8]) -> Bool {
        value.withUnsafeBytes { Self.isRow(at: range, of: $0, checksum: checksum) }
    }
}
