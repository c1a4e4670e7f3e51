import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration

@Suite struct PropertiesFileTests {
    @Test(arguments: [
        ("a=b", ["a": "b"]),
        ("a = b ", ["a": "b"]),
        ("a: b", ["a": "b"]),
        ("a=b=c", ["a": "b=c"]),
        ("a=", ["a": ""]),
        ("# x=y\n! z=y\n\n  a=b\r\nc=d", ["a": "b", "c": "d"]),
        ("a=b,\\\n   c,\\\r\n\td", ["a": "b,c,d"]),
        ("a=b\\\\\nc=d", ["a": "b\\", "c": "d"]),
        ("a=\\u00e9\\uD83D\\uDE00é😀", ["a": "é😀é😀"]),
        ("a=\\ x\\ ", ["a": " x "]),
        ("a\\=b=c", ["a=b": "c"]),
        ("a=\\t\\n\\:\\#", ["a": "\t\n:#"]),
        ("\u{FEFF}a=b", ["a": "b"]),
        ("a=b\\", ["a": "b"]),
        ("", [:]),
    ])
    func `lines are parsed as in Java`(text: String, expected: [String: String]) {
        let (entries, errors) = PropertiesFile.parse(Array(text.utf8), path: "f")
        #expect(errors.isEmpty)
        #expect(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) }) == expected)
    }

    @Test(arguments: [
        ("a=1\nno separator", 2, "has no \"=\""),
        ("a=1\n\n# c\na=2", 4, "already set on line 1"),
        ("=x", 1, "no key"),
        ("a b=x", 1, "has a space"),
        ("a=\\q", 1, "unknown escape"),
        ("a=\\u12", 1, "four hexadecimal digits"),
        ("a=\\uD83D", 1, "surrogate"),
        ("a=\\uD83D\\u0041", 1, "surrogate"),
        ("a=\\uDC00", 1, "surrogate"),
        ("a=\\u+123", 1, "four hexadecimal digits"),
        ("a=b\u{0}c", 1, "control character"),
        ("a=1\nb=2,\\\n c\\q", 2, "unknown escape"),
    ])
    func `an invalid line is refused with its line number`(text: String, line: Int, message: String) throws {
        let (_, errors) = PropertiesFile.parse(Array(text.utf8), path: "f")
        let error = try #require(errors.first)
        #expect(errors.count == 1)
        #expect(error.origin == .file(path: "f", line: line))
        #expect(error.message.contains(message))
    }

    @Test func `bytes that are not UTF-8 are refused with the line number`() {
        let (entries, errors) = PropertiesFile.parse(Array("a=1\n".utf8) + [0x62, 0x3D, 0xFF], path: "f")
        #expect(entries.map(\.key) == ["a"])
        #expect(errors.map(\.origin) == [.file(path: "f", line: 2)])
        #expect(errors.first?.message.contains("not UTF-8") == true)
    }

    @Test func `a line over the length limit is refused, even if it is split by continuations`() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: PropertiesFile.maximumLineBytes + 1)
        let continued = Array(String(repeating: "xxxxxxxx\\\n", count: 10_000).utf8)
        for bytes in [long, Array("a=".utf8) + long, Array("a=".utf8) + continued] {
            let (entries, errors) = PropertiesFile.parse(bytes, path: "f")
            #expect(entries.isEmpty)
            #expect(errors.count == 1)
            #expect(errors.first?.message.contains("more than") == true)
        }
    }

    @Test func `a binary file yields a few errors, not one per line`() {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(PropertiesFile.parse(bytes, path: "f").errors.count == 20)
    }

    @Test func `random bytes never trap`() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("ab=:\\u0D8\n\r#! \t".utf8) + [0xFF, 0xC3, 0x00, 0xEF, 0xBB, 0xBF]
        for round in 0..<3_000 {
            let count = Int.random(in: 0..<60, using: &generator)
            let bytes = (0..<count).map { _ in
                round % 2 == 0
                    ? alphabet.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
            }
            let (entries, errors) = PropertiesFile.parse(bytes, path: "f")
            #expect(Set(entries.map(\.key)).count == entries.count)
            #expect(errors.count <= 20)
        }
    }
}
