import JSON
import Testing

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

private func code(_ bytes: [UInt8]) -> JSONError.Code? {
    do {
        _ = try JSONDocument(bytes)
        return nil
    } catch { return error.code }
}

@Suite("JSON scanner") struct JSONScannerTests {
    @Test(arguments: [
        "{}", "[]", "null", "true", "false", "0", "-0", "1.5e-3", "1E+9", #""""#, " \t\r\n{ } \n",
        #"{"a":[1,{"b":null}],"c":"d"}"#, #""\"\\\/\b\f\n\r\t\u0041\ud83d\ude00""#, #"{"":0}"#,
        #""é 漢 😀 \u0000""#, "[1,2,3]", #"{"a":{"a":{"a":1}}}"#, "[[],{}]", String(repeating: "9", count: 100_000),
        "1e400", "\"\u{7F}\u{10FFFF}\"",
    ])
    func `a valid text is accepted`(text: String) { #expect(code(bytes(text)) == nil) }

    @Test(arguments: [
        ("", JSONError.Code.empty), (" \n", .empty), ("{", .unexpectedEnd), ("[1", .unexpectedEnd),
        ("[1,", .unexpectedEnd), (#"{"a""#, .unexpectedEnd), (#"{"a":"#, .unexpectedEnd), (#""abc"#, .unexpectedEnd),
        (#""\"#, .unexpectedEnd), (#""\u12"#, .unexpectedEnd), ("tru", .unexpectedEnd), ("-", .unexpectedEnd),
        ("1.", .unexpectedEnd), ("1e", .unexpectedEnd), ("1e+", .unexpectedEnd),
        ("[1,]", .syntax), ("[,1]", .syntax), (#"{"a":1,}"#, .syntax), ("{,}", .syntax), (#"{"a" 1}"#, .syntax),
        (#"{a:1}"#, .syntax), ("{1:1}", .syntax), ("[1 2]", .syntax), ("[1}", .syntax), (#"{"a":1]"#, .syntax),
        ("nul1", .syntax), ("True", .syntax), ("NaN", .syntax), ("Infinity", .syntax), ("+1", .syntax),
        (".5", .syntax), ("-a", .syntax), ("1.a", .syntax), ("1ea", .syntax), ("'a'", .syntax), ("//", .syntax),
        ("]", .syntax), ("}", .syntax), ("\u{A0}1", .syntax), ("\u{C}1", .syntax),
        ("{}x", .trailingBytes), ("{} {}", .trailingBytes), ("01", .trailingBytes), ("-01", .trailingBytes),
        ("1 2", .trailingBytes), ("0x1", .trailingBytes), ("null\0", .trailingBytes), ("[]]", .trailingBytes),
        ("\"a\nb\"", .controlCharacter), ("\"a\0b\"", .controlCharacter), ("\"\u{1F}\"", .controlCharacter),
        (#""\x41""#, .invalidEscape), (#""\u00g0""#, .invalidEscape), (#""\'""#, .invalidEscape),
        (#""\u 123""#, .invalidEscape), (#""\ud83d""#, .loneSurrogate), (#""\ude00""#, .loneSurrogate),
        (#""\ud83d\u0041""#, .loneSurrogate), (#""\ud83dx""#, .loneSurrogate), (#""\ud83d\ud83d""#, .loneSurrogate),
        (#""\ud83d\n""#, .loneSurrogate),
    ])
    func `an invalid text is refused with its reason`(text: String, reason: JSONError.Code) {
        #expect(code(bytes(text)) == reason)
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x22], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xE2, 0x82], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xFE], [0xFF],
            [0xE2, 0x28, 0xA1], [0xF0, 0x9F, 0x28, 0x80],
        ] as [[UInt8]])
    func `malformed UTF-8 is refused at every position`(sequence: [UInt8]) {
        for padding in 0..<17 {
            let text = [0x22] + Array(repeating: UInt8(ascii: "a"), count: padding) + sequence + [0x22]
            #expect(code(text) == .invalidUTF8)
            #expect(code(text.dropLast() + bytes("aaaaaaaaaaaaaaaaaaaa\"")) == .invalidUTF8)
        }
    }

    @Test func `a byte order mark and other encodings are refused`() {
        #expect(code([0xEF, 0xBB, 0xBF] + bytes("{}")) == .byteOrderMark)
        #expect(code([0xFF, 0xFE] + Array("{}".utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }) == .syntax)
        #expect(code(Array("{}".utf16).flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }) == .syntax)
        #expect(code([0, 0, 0, UInt8(ascii: "1")]) == .syntax)
    }

    @Test func `32 levels of nesting are accepted and 33 are not`() {
        func nested(_ depth: Int) -> [UInt8] {
            bytes(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        func objects(_ depth: Int) -> [UInt8] {
            bytes(
                String(repeating: #"{"a":"#, count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1))
        }
        #expect(code(nested(32)) == nil)
        #expect(code(nested(33)) == .tooDeep)
        #expect(code(objects(32)) == nil)
        #expect(code(objects(33)) == .tooDeep)
        #expect(code(Array(repeating: UInt8(ascii: "["), count: 100_000)) == .tooDeep)
        #expect(throws: Never.self) { try JSONDocument(nested(33), maximumDepth: 33) }
    }

    private func fault(of text: String, _ change: (inout JSONLimits) -> Void) -> JSONError? {
        var limits = JSONLimits()
        change(&limits)
        do throws(JSONError) {
            _ = try JSONDocument(bytes(text), limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test func `names and elements are accepted up to the caller's limits`() {
        let text = #"{"a":{"b":1},"c":[{"d":2}]}"#
        #expect(fault(of: text) { ($0.names, $0.elements) = (4, 1) } == nil)
        #expect(fault(of: text) { $0.names = 3 } == JSONError(.tooManyNames, at: 19))
        #expect(fault(of: text) { $0.elements = 0 } == JSONError(.tooManyElements, at: 18))
        #expect(fault(of: "[1,2,3]") { $0.elements = 3 } == nil)
        #expect(fault(of: "[1,2,3]") { $0.elements = 2 } == JSONError(.tooManyElements, at: 5))
        #expect(fault(of: #"[[],{},""]"#) { $0.elements = 3 } == nil)
        #expect(fault(of: "[]") { $0.elements = 0 } == nil)
        #expect(throws: JSONError(.tooManyNames, at: 19)) { try JSONDocument(bytes(text), maximumNames: 3) }
    }

    @Test func `the limit on members applies to each object separately`() {
        #expect(fault(of: #"{"a":{"b":1,"c":2},"d":3}"#) { $0.members = 2 } == nil)
        #expect(fault(of: #"[ {"a":1,"b":2,"a":3}]"#) { $0.members = 2 } == JSONError(.tooManyMembers, at: 2))
        #expect(fault(of: #"[{},{"a":1}]"#) { $0.members = 0 } == JSONError(.tooManyMembers, at: 4))
        #expect(fault(of: "[{}]") { $0.members = 0 } == nil)
    }

    @Test(arguments: [
        #"{"a":1,"a":2}"#, #"{"a":1,"b":2,"\u0061":3}"#, #"{"x":{"y":[{"k":1,"k":1}]}}"#, #"{"":1,"":2}"#,
        #"{"é":1,"\u00e9":2}"#, #"{"😀":1,"\ud83d\ude00":2}"#, #"{"a\/":1,"a/":2}"#,
    ])
    func `a name that occurs twice is refused`(text: String) { #expect(code(bytes(text)) == .duplicateName) }

    @Test func `a name may occur in different objects, and different names of equal length in one`() {
        #expect(code(bytes(#"{"a":{"a":1},"b":{"a":2},"A":3,"a ":4}"#)) == nil)
        #expect(code(bytes(#"{"abcdefgh":1,"abcdEfgh":2,"abcdefgH":3}"#)) == nil)
    }

    @Test(arguments: [64, 65, 1000, 20_000])
    func `a repeated name is found among many names`(count: Int) {
        let names = (0..<count).map { "\"name\($0)\":\($0)" }
        #expect(code(bytes("{\(names.joined(separator: ","))}")) == nil)
        #expect(code(bytes("{\(names.joined(separator: ",")),\"name\(count / 2)\":0}")) == .duplicateName)
    }

    @Test func `a text over the length limit is refused without being read`() {
        #expect(throws: JSONError(.tooLong, at: 5)) { try JSONDocument(bytes("[1,2]"), maximumBytes: 4) }
    }

    @Test func `only an object is accepted where an object is required`() {
        #expect(throws: JSONError(.notAnObject, at: 0)) { try JSONDocument.object(bytes("[]")) }
        #expect(throws: Never.self) { try JSONDocument.object(bytes("{}")) }
    }

    @Test func `every proper prefix of a text is refused`() throws {
        let text = bytes(#"{"a":[1.5e3,true,null,"é\ud83d\ude00\n"],"b":{"c":-0}}"#)
        for length in 0..<text.count { #expect(code(Array(text[..<length])) != nil) }
    }
}

@Suite("JSON elements") struct JSONElementTests {
    @Test func `members are found with their exact ranges`() throws {
        let text = bytes(#" {"a" : "x\n", "list":[1, {"b":"plain"}], "n":null , "t":true} "#)
        let root = try JSONDocument(text).root
        #expect(root["a"]?.string == "x\n")
        #expect(root["a"]?.plainTextRange == nil)
        #expect(root["a"].map { Array($0.bytes) } == bytes(#""x\n""#))
        #expect(root["missing"] == nil)
        #expect(root["n"]?.isNull == true)
        #expect(root["t"]?.bool == true)
        let list = try #require(root["list"])
        #expect(Array(list.bytes) == bytes(#"[1, {"b":"plain"}]"#))
        #expect(list.elements.count == 2)
        let plain = try #require(list.elements[1]["b"]?.plainTextRange)
        #expect(Array(text[plain]) == bytes("plain"))
        #expect(root.members.map(\.name) == ["a", "list", "n", "t"])
        #expect(root["a"]?["b"] == nil)
    }

    @Test func `a name written with escapes is found by its decoded text`() throws {
        let root = try JSONDocument(bytes(#"{"\u0061ppData":1}"#)).root
        #expect(root["appData"]?.integer == 1)
    }

    @Test(
        arguments: [
            ("0", 0, true), ("-0", 0, true), ("-0.0e5", 0, true), ("42", 42, true), ("1e3", 1000, true),
            ("1.5e1", 15, true), ("1.5", 1, false), ("-1.5", -2, false), ("0.9", 0, false), ("-0.1", -1, false),
            ("1e-400", 0, false), ("-1e-400", -1, false), ("9223372036854775807", .max, true),
            ("9223372036854775807.9", .max, false), ("-9223372036854775808", .min, true),
            ("1697679936049.7297", 1_697_679_936_049, false), ("-62135769600000", -62_135_769_600_000, true),
            ("100000000000000000000e-2", 1_000_000_000_000_000_000, true), ("0e999999999999999999999", 0, true),
            ("0.000001e6", 1, true), ("12345.000", 12345, true), ("1.00000000000000000000000000001", 1, false),
        ] as [(String, Int64, Bool)])
    func `numbers are rounded down exactly`(text: String, floored: Int64, isWhole: Bool) throws {
        let number = try JSONDocument(bytes(text)).root
        #expect(number.flooredInteger == floored)
        #expect(number.integer == (isWhole ? floored : nil))
        #expect(number.number?.text == text)
        #expect(number.number?.flooredInteger == floored)
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "-9223372036854775808.1", "1e19", "1e300", "-1e300", "1e400",
        "1e999999999999999999999999", String(repeating: "9", count: 1000),
    ])
    func `numbers beyond 64 bits have no value`(text: String) throws {
        let number = try JSONDocument(bytes(text)).root
        #expect(number.flooredInteger == nil)
        #expect(number.integer == nil)
    }

    @Test func `a value is written exactly as it was read`() throws {
        let text = bytes(#"{"a":[1.50,-0,1e400,true,false,null,"\"\\\u0001é\n/"],"":{}}"#)
        #expect(try JSONValue(json: text).json == text)
    }

    @Test func `setting members preserves their order`() {
        var object = JSONObject()
        object["b"] = 1
        object["a"] = "x"
        object["b"] = ["y", nil, true]
        object["c"] = 2
        object["a"] = nil
        #expect(JSONValue.object(object).json == bytes(#"{"b":["y",null,true],"c":2}"#))
    }
}
