import JSON
import Testing

@Suite("Redacted JSON text") struct JSONRedactionTests {
    private func redacted(
        _ text: String, _ names: [String] = ["x"], secretNames: [String] = [], secrets: [String] = []
    ) throws -> String {
        let document = try JSONDocument(Array(text.utf8))
        let redaction = JSONDocument.Redaction(
            names: names, secretNames: secretNames, secrets: secrets.map { Array($0.utf8) })
        return String(decoding: document.redacted(redaction), as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1}"#), (#"{"x":1}"#, "{}"), (#" { "x" : 1 } "#, " {  } "),
        (#"{"x":1,"a":2}"#, #"{"a":2}"#),
        (#"{"a":1,"x":2}"#, #"{"a":1}"#), (#"{"a":1 , "x":2 , "b":3}"#, #"{"a":1 , "b":3}"#),
        (#"{"x":1,"X":2,"a":3}"#, #"{"a":3}"#), (#"{"a":1,"x":2,"X":3}"#, #"{"a":1}"#),
        (#"{"x":1,"a":2,"X":3,"b":4,"\u0078 ":5}"#, #"{"a":2,"b":4,"\u0078 ":5}"#), (#"{"x":1,"X":2}"#, "{}"),
        (#"{"\u0078":{"x":[1]},"a":{"x":1}}"#, #"{"a":{}}"#),
        (#"[{"x":"a"},{"b":{"x":{"c":1},"d":[]}}]"#, #"[{},{"b":{"d":[]}}]"#),
        (#"{"a":"x"}"#, #"{"a":"x"}"#), (#""x""#, #""x""#), ("7", "7"), (#"{"xx":1,"":2}"#, #"{"xx":1,"":2}"#),
    ])
    func `preserves every other byte`(text: String, expected: String) throws {
        let result = try redacted(text)
        #expect(result == expected)
        _ = try JSONDocument(Array(result.utf8))
    }

    @Test(arguments: [
        (#"{"p":"secret-1","a":"secret-1"}"#, #"{"a":""}"#),
        (#"{"a":["<secret-1>",1],"p":"secret-1"}"#, #"{"a":["",1]}"#),
        (#"{"p":"secret-1","<secret-1>":1,"b":2}"#, #"{"b":2}"#),
        (#"{"p":"secret-1","a":"\u0073ecret-1"}"#, #"{"a":""}"#),
        (#"{"p":"\u0073ecret-1","a":"secret-1"}"#, #"{"a":""}"#), (#"{"p":12345678,"a":1234567890}"#, #"{"a":""}"#),
        (#"{"p":"a\"b","a":"xa\"bx"}"#, #"{"a":""}"#), (#"{"p":"é","a":"\u00e9"}"#, #"{"a":""}"#),
        (#"{"p":"","a":"b"}"#, #"{"a":"b"}"#), (#"{"b":{"p":"deep-secret"},"a":"deep-secret"}"#, #"{"b":{},"a":""}"#),
        // The secret in the nested object is too short to search for.
        (#"{"b":{"p":"e"},"a":"deep"}"#, #"{"b":{},"a":"deep"}"#),
        // The secret consists only of JSON punctuation.
        (#"{"p":":","a":1}"#, "{}"), (#"{"p":"{","a":1}"#, "{}"), (#"{"p":"\"a\"","a":1}"#, "{}"),
    ])
    func `does not contain the text of a secret anywhere`(text: String, expected: String) throws {
        let result = try redacted(text, [], secretNames: ["p"])
        #expect(result == expected)
    }

    @Test func `contains none of the caller's secrets`() throws {
        #expect(try redacted(#"{"a":"one","b":"two"}"#, [], secrets: ["one", ""]) == #"{"a":"","b":"two"}"#)
    }

    @Test func `contains no secret inside JSON inside strings`() throws {
        for level in 1...4 {
            // The number of backslashes doubles at each level.
            let backslashes = String(repeating: #"\"#, count: 1 << level)
            #expect(
                try redacted(#"{"a":"\#(backslashes)u0073ecret-1"}"#, [], secrets: ["secret-1"]) == #"{"a":""}"#,
                "level \(level)")
        }
    }

    @Test func `is empty if the caller passes more secrets than supported`() throws {
        let members = (0..<17).map { #"{"p":"secret-\#($0 + 10)"}"# }.joined(separator: ",")
        #expect(try redacted("[\(members)]", [], secretNames: ["p"]) == "{}")
        #expect(try redacted("[\(members)]", ["p"]) == "[\(Array(repeating: "{}", count: 17).joined(separator: ","))]")
    }

    @Test(arguments: [
        ("a", "", false), ("", "a", false), ("aab", "ab", true), ("aaab", "aab", true),
        ("ababac", "abac", true), ("abababx", "ababac", false), ("ab", "abc", false),
    ])
    func `is searched for every occurrence`(text: String, secret: String, isFound: Bool) throws {
        let result = try redacted(#"{"n":"\#(text)"}"#, [], secrets: [secret])
        #expect(result == #"{"n":"\#(isFound ? "" : text)"}"#)
    }
}
