import JSON
import Testing

@Suite("JSON arrays") struct JSONArrayTests {
    private static func element(_ text: String) throws -> JSONElement { try JSONDocument(Array(text.utf8)).root }

    private static func text(_ element: JSONElement) -> String { String(decoding: element.bytes, as: UTF8.self) }

    @Test(arguments: [
        ("[]", []), ("[1]", ["1"]), (#"[[1,[2]],{"a":[3]},"x",null]"#, ["[1,[2]]", #"{"a":[3]}"#, #""x""#, "null"]),
        (#"{"a":1}"#, []), (#""[1]""#, []), ("1", []),
    ])
    func `the elements of an array are visited in order`(text: String, expected: [String]) throws {
        var visited: [String] = []
        try Self.element(text).forEachElement { visited.append(Self.text($0)) }
        #expect(visited == expected)
    }

    @Test(arguments: [
        ("[1,2]", "1", "2"), ("[[],[3,4]]", "[]", "[3,4]"), (#"[{"a":[1,2]},null]"#, #"{"a":[1,2]}"#, "null"),
    ])
    func `an array of two elements is a pair`(text: String, first: String, second: String) throws {
        let pair = try #require(try Self.element(text).pair)
        #expect(Self.text(pair.first) == first)
        #expect(Self.text(pair.second) == second)
    }

    @Test(arguments: [
        "[]", "[1]", "[[1,2]]", "[1,2,3]", "[1,2,[]]", #"{"a":1}"#, #"{"a":1,"b":2}"#, "null", "12", #""12""#,
    ])
    func `any other value is not a pair`(text: String) throws { #expect(try Self.element(text).pair == nil) }

    @Test func `a pair may be followed by other values`() throws {
        var pairs: [String] = []
        try Self.element("[[1,2],[3],[4,5],6]").forEachElement { element in
            if let pair = element.pair { pairs.append(Self.text(pair.first) + Self.text(pair.second)) }
        }
        #expect(pairs == ["12", "45"])
    }
}
