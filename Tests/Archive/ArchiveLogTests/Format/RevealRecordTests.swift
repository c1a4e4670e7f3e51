import AppStoreModel
import ArchiveLog
import KafkaModel
import Testing

struct RevealRecordTests {
    private static let at = AppStoreInstant(clampingMillisecondsSince1970: 1_790_000_000_000)

    private func record(author: String = "a.officer", positions: [String] = ["t/0@1"]) throws -> RevealRecord {
        try RevealRecord(
            .show, author: author, reason: "why", request: "DSR-1", scope: "all topics",
            subjects: [SubjectMark(bytes: [UInt8](repeating: 7, count: 32))].compactMap(\.self),
            marks: "0123456789abcdef",
            positions: positions, at: Self.at)
    }

    @Test func `a reveal is parsed as it was encoded, and is not a decision or a retention step`() throws {
        let record = try record()
        #expect(RevealRecord(json: record.jsonText) == record)
        #expect(throws: ArchiveError.self) { try ErasureRecord(json: record.jsonText) }
        #expect(RetentionRecord(json: record.jsonText) == nil)
        let produced = record.produced(to: "appstore.erasures", nonce: "ab")
        #expect(produced.key == Array("reveal/1790000000000/ab".utf8))
        #expect(produced.value == record.jsonText)
    }

    @Test func `a reveal has the documented members`() throws {
        #expect(
            String(decoding: try record().jsonText, as: UTF8.self) == """
                {"version":1,"action":"reveal","command":"show","author":"a.officer","reason":"why","request":"DSR-1",\
                "scope":"all topics","subjects":["\(String(repeating: "07", count: 32))"],"marks":"0123456789abcdef",\
                "positions":["t/0@1"],"count":1,"at":"\(Self.at)"}
                """)
    }

    @Test func `records beyond the listed ones are counted`() throws {
        let record = try record(positions: (0..<1_500).map { "t/0@\($0)" })
        #expect(record.positions.count == 1_000 && record.count == 1_500)
        #expect(RevealRecord(json: record.jsonText) == record)
        #expect(try self.record(positions: []).count == nil)
    }

    @Test(arguments: ["", " ", "\t"]) func `a reveal without an author is rejected`(author: String) throws {
        let error = try #require(throws: ArchiveError.self) { try record(author: author) }
        #expect(error.code == .malformedContent)
    }

    @Test func `a text that is too long is rejected`() throws {
        let error = try #require(throws: ArchiveError.self) {
            try record(author: String(repeating: "a", count: 1_025))
        }
        #expect(error.code == .tooLong)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"version":2,"action":"reveal"}"#, #"{"version":1,"action":"erase"}"#,
        #"""
        {"version":1,"action":"reveal","command":"show","author":"","reason":"","request":"","scope":"","marks":"",\#
        "at":"2026-01-01T00:00:00Z"}
        """#,
    ]) func `other records are not parsed as reveals`(json: String) {
        #expect(RevealRecord(json: Array(json.utf8)) == nil)
    }
}
