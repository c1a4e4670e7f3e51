import TestSupport
import Testing

@testable import JSON

@Suite struct JSONMemberTableTests {
    private let names = ["type", "signedDate", "x", "", "größe", "transactionId"]

    private func values(_ text: String, _ table: JSONMemberTable) throws -> [String?]? {
        let document = try JSONDocument(Array(text.utf8))
        guard let values = table.values(of: 0, in: document) else { return nil }
        return names.indices.map { number in
            values[number] == 0
                ? nil
                : String(
                    decoding: JSONElement(document: document, index: Int(values[number])).bytes, as: UTF8.self)
        }
    }

    @Test func `members are found by name, in any order and among others`() throws {
        let text = #"{"größe":[1,{"type":2}],"other":{"x":3},"transactionId":"a","":null,"type":{"x":4},"x":5}"#
        let found = try values(text, JSONMemberTable(names))
        #expect(found == [#"{"x":4}"#, nil, "5", "null", #"[1,{"type":2}]"#, #""a""#])
    }

    @Test func `an empty object has no members`() throws {
        #expect(try values("{}", JSONMemberTable(names)) == names.map { _ in nil })
    }

    @Test func `an object with an escaped name has no values in the table`() throws {
        #expect(try values(#"{"typ\u0065":1}"#, JSONMemberTable(names)) == nil)
        // An escaped name in a nested object is not a member of the outer one.
        #expect(try values(#"{"x":{"typ\u0065":1}}"#, JSONMemberTable(names))?[2] == #"{"typ\u0065":1}"#)
    }

    @Test func `different names with the same hash are distinguished`() throws {
        // Some of the random names have the same hash.
        var random = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let length = Int.random(in: 1...4, using: &random)
            let names = Set(
                (0..<48).map { _ in
                    String(
                        (0..<length).map { _ in Character(UnicodeScalar(UInt8.random(in: 97...101, using: &random))) })
                }
            ).sorted()
            let table = JSONMemberTable(names)
            let present = names.filter { _ in Bool.random(using: &random) }
            let text = "{" + present.map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",") + "}"
            let document = try JSONDocument(Array(text.utf8))
            let values = try #require(table.values(of: 0, in: document))
            for (number, name) in names.enumerated() {
                let value = values[number] == 0 ? nil : document.text(of: Int(values[number]))
                #expect(value == (present.contains(name) ? name : nil))
            }
        }
    }
}
