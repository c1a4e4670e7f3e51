import Testing

@testable import KeyedState

struct PackedEntriesTests {
    private func read(_ text: [UInt8]) -> [IndexEntry]? {
        text.withUnsafeBytes { PackedEntries($0) }?.list
    }

    @Test(
        arguments: [
            [], [IndexEntry("account", "a")], [IndexEntry("", ""), IndexEntry("name", ""), IndexEntry("é", "日本")],
        ] as [[IndexEntry]])
    func `packed entries are read back in order`(entries: [IndexEntry]) throws {
        let packed = try #require(PackedEntries(entries))
        #expect(packed.list == entries)
        #expect(read(packed.text) == entries)
    }

    @Test func `an entry that contains the terminator cannot be packed`() {
        #expect(PackedEntries([IndexEntry("a;", "b")]) == nil)
        #expect(PackedEntries([IndexEntry("a", ";b")]) == nil)
    }

    @Test(arguments: ["a", "a;", "a;b", "a;b;c;", ";"]) func `malformed text is not a list of entries`(text: String) {
        #expect(read(Array(text.utf8)) == nil)
    }

    @Test func `invalid UTF-8 is not a list of entries`() {
        #expect(read(Array("a;".utf8) + [0xC3, UInt8(ascii: ";")]) == nil)
    }

    private func fields(_ text: String, _ body: (inout FieldReader) -> Void) {
        Array(text.utf8).withUnsafeBytes {
            var fields = FieldReader($0)
            body(&fields)
        }
    }

    @Test(
        arguments: [
            ("0;", 0), ("-1;", -1), ("9223372036854775807;", Int64.max), ("-9223372036854775808;", Int64.min),
            ("9223372036854775808;", nil), ("-9223372036854775809;", nil), ("-;", nil), ("+1;", nil), ("1.5;", nil),
            (";", nil), ("1", nil), ("", nil),
        ] as [(String, Int64?)])
    func `a number has 64 bits`(text: String, number: Int64?) {
        fields(text) { #expect($0.nextNumber() == number) }
    }

    @Test(
        arguments: [
            ("0;", 0), ("ffffffffffffffff;", UInt64.max), ("10000000000000000;", nil), ("FF;", nil), (";", nil),
            ("g;", nil),
        ] as [(String, UInt64?)])
    func `a hexadecimal number has at most 16 lowercase digits`(text: String, number: UInt64?) {
        fields(text) { #expect($0.nextHexadecimal() == number) }
    }
}
