import AppStoreModel
import ArchiveLog
import KafkaModel
import Testing

struct ErasureRecordTests {
    private static let text =
        #"{"version":1,"action":"erase","subject":"\#(String(repeating: "0a", count: 32))","#
        + #""marks":"00112233aabbccdd","keys":["000102030405060708090a0b0c0d0e0f"],"reason":"data subject's request","#
        + #""request":"DSR-17","requestedAt":"2026-11-23T16:00:00.000Z"}"#

    @Test func `the value encodes to exactly this JSON and is parsed back`() throws {
        let record = try ErasureRecord(json: Array(Self.text.utf8))
        #expect(record.action == .erase)
        #expect(record.keys.map(\.hex) == ["000102030405060708090a0b0c0d0e0f"])
        #expect(record.marks == "00112233aabbccdd")
        #expect(record.request == "DSR-17")
        #expect(String(decoding: record.jsonText, as: UTF8.self) == Self.text)
        let produced = record.produced(to: "appstore.erasures")
        #expect(produced.value == record.jsonText)
        let time = record.requestedAt.millisecondsSince1970
        let key = "\(record.subject.hex)/\(time)/erase/000102030405060708090a0b0c0d0e0f"
        #expect(produced.key == Array(key.utf8))
    }

    @Test(arguments: ErasureRecord.Action.allCases)
    func `every action is encoded and parsed back, and every record has its own key`(action: ErasureRecord.Action)
        throws
    {
        var record = try ErasureRecord(json: Array(Self.text.utf8))
        record.action = action
        record.keys = []
        record.reason = "é \" \\ \n"
        #expect(try ErasureRecord(json: record.jsonText) == record)
        var later = record
        later.requestedAt = try #require(AppStoreInstant(millisecondsSince1970: 1_800_000_000_000))
        #expect(later.produced(to: "t").key != record.produced(to: "t").key)
    }

    @Test(arguments: [
        ("\"version\":1", "\"version\":2"), ("\"version\":1", "\"version\":\"1\""), ("\"version\":1,", ""),
        ("\"erase\"", "\"forget\""), ("0a0a", "0a"), ("0a0a", "zz0a"), ("00112233aabbccdd", "0011"),
        ("000102", "00010"), ("\"000102030405060708090a0b0c0d0e0f\"", "7"), ("16:00:00", "25:00:00"),
        ("\"DSR-17\"", "null"), ("\"reason\":\"data subject's request\",", ""), ("{\"version\"", "[\"version\""),
        ("DSR-17", String(repeating: "x", count: 257)),
    ]) func `other values are rejected`(part: String, replacement: String) throws {
        let changed = Self.text.replacing(part, with: replacement, maxReplacements: 1)
        #expect(changed != Self.text)
        let error = try #require(throws: ArchiveError.self) { try ErasureRecord(json: Array(changed.utf8)) }
        #expect(error.code == .malformedContent)
    }

    @Test func `the record contains the author, and a record of the previous version has none`() throws {
        var record = try ErasureRecord(json: Array(Self.text.utf8))
        #expect(record.author.isEmpty)
        record.author = "privacy-officer"
        #expect(String(decoding: record.jsonText, as: UTF8.self).contains(#""author":"privacy-officer""#))
        #expect(try ErasureRecord(json: record.jsonText) == record)
        record.author = String(repeating: "x", count: 257)
        #expect(throws: ArchiveError.self) { try ErasureRecord(json: record.jsonText) }
    }

    @Test func `members that a later version adds are ignored`() throws {
        let more = Self.text.replacing("{\"version\"", with: "{\"host\":[1],\"version\"", maxReplacements: 1)
        #expect(try ErasureRecord(json: Array(more.utf8)) == ErasureRecord(json: Array(Self.text.utf8)))
        #expect(throws: ArchiveError.self) { try ErasureRecord(json: [0xFF]) }
        #expect(throws: ArchiveError.self) { try ErasureRecord(json: []) }
    }
}
