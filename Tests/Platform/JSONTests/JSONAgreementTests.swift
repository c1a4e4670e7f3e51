import Foundation
import JSON
import TestSupport
import Testing

/// Compares the scanner with Foundation's parser on generated texts and their mutants.
@Suite("JSON scanner against Foundation") struct JSONAgreementTests {
    /// Error codes for texts that Foundation accepts and the scanner deliberately rejects.
    private static let stricter: Set<JSONError.Code> = [
        .duplicateName, .tooDeep, .loneSurrogate, .byteOrderMark, .invalidUTF8, .controlCharacter,
    ]

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `both accept and reject the same texts`(seed: UInt64) throws {
        var generator = JSONTextGenerator(seed: seed)
        for _ in 0..<40 {
            let text = generator.text()
            #expect(throws: Never.self) { try JSONDocument(text) }
            try compare(text)
            for _ in 0..<8 { try compare(generator.mutant(of: text)) }
        }
    }

    private func compare(_ text: [UInt8]) throws {
        let theirs = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
        do {
            let document = try JSONDocument(text)
            guard let theirs else {
                #expect(hasHugeNumber(document.root), "only we accept \(String(decoding: text, as: UTF8.self))")
                return
            }
            #expect(isEqual(document.root, theirs), "read differently: \(String(decoding: text, as: UTF8.self))")
        } catch {
            guard !Self.stricter.contains(error.code), !isTrailingComma(text, before: error.offset) else { return }
            #expect(theirs == nil, "only the scanner rejects (\(error)) \(String(decoding: text, as: UTF8.self))")
        }
    }

    /// Foundation accepts a trailing comma that is followed by whitespace.
    private func isTrailingComma(_ text: [UInt8], before offset: Int) -> Bool {
        let isEnd = text[offset...].first.map { Array("]}".utf8).contains($0) } ?? false
        return isEnd && text[..<offset].last { !Array(" \t\r\n".utf8).contains($0) } == UInt8(ascii: ",")
    }

    /// Foundation rejects numbers that a Double cannot represent.
    private func hasHugeNumber(_ element: JSONElement) -> Bool {
        if let text = element.number?.text { return Double(text).map { !$0.isFinite } ?? true }
        return element.elements.contains(where: hasHugeNumber)
            || element.members.contains { hasHugeNumber($0.value) }
    }

    private func isEqual(_ ours: JSONElement, _ theirs: Any) -> Bool {
        switch ours.kind {
        case .null: return theirs is NSNull
        case .bool: return (theirs as? Bool) == ours.bool
        case .string: return (theirs as? String) == ours.string
        case .number:
            guard let number = theirs as? NSNumber, let text = ours.number?.text else { return false }
            return number.doubleValue == Double(text)
        case .array:
            guard let array = theirs as? [Any], array.count == ours.elements.count else { return false }
            return zip(ours.elements, array).allSatisfy { isEqual($0, $1) }
        case .object:
            guard let object = theirs as? [String: Any] else { return false }
            // Foundation treats canonically equivalent names as equal.
            return ours.members.allSatisfy { member in object[member.name].map { isEqual(member.value, $0) } ?? false }
        }
    }
}

struct JSONTextGenerator {
    private var random: SeededGenerator
    private var names = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func text() -> [UInt8] {
        var text: [UInt8] = []
        value(depth: 0, to: &text)
        return text
    }

    mutating func mutant(of text: [UInt8]) -> [UInt8] {
        var text = text
        let interesting = Array(#"{}[]",:\ue.+-0123456789abtfn /"#.utf8) + [0x01, 0x20, 0x0A, 0x80, 0xC3, 0xED, 0xFF]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard !text.isEmpty else { break }
            let position = Int.random(in: 0..<text.count, using: &random)
            let byte = interesting.randomElement(using: &random) ?? 0x20
            switch Int.random(in: 0..<4, using: &random) {
            case 0: text[position] = byte
            case 1: text.insert(byte, at: position)
            case 2: text.remove(at: position)
            default: text.removeSubrange(position...)
            }
        }
        return text
    }

    private mutating func value(depth: Int, to text: inout [UInt8]) {
        space(to: &text)
        switch Int.random(in: 0..<(depth < 5 ? 9 : 6), using: &random) {
        case 0: text += "null".utf8
        case 1: text += (Bool.random(using: &random) ? "true" : "false").utf8
        case 2, 3: number(to: &text)
        case 4, 5: string(to: &text)
        case 6: array(depth: depth, to: &text)
        default: object(depth: depth, to: &text)
        }
        space(to: &text)
    }

    private mutating func space(to text: inout [UInt8]) {
        for _ in 0..<Int.random(in: 0..<2, using: &random) {
            text.append([0x20, 0x09, 0x0A, 0x0D].randomElement(using: &random) ?? 0x20)
        }
    }

    private mutating func number(to text: inout [UInt8]) {
        if Bool.random(using: &random) { text += "-".utf8 }
        text += String(Int.random(in: 0...999_999, using: &random)).utf8
        if Bool.random(using: &random) { text += ".\(Int.random(in: 0...999, using: &random))".utf8 }
        if Bool.random(using: &random) { text += "e\(Int.random(in: -9...9, using: &random))".utf8 }
    }

    private mutating func string(to text: inout [UInt8]) {
        let parts = ["a", "bc", "é", "漢", "😀", #"\n"#, #"\u0041"#, #"\ud83d\ude00"#, #"\""#, #"\\"#, "/", "\u{7F}"]
        text += "\"".utf8
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            text += (parts.randomElement(using: &random) ?? "").utf8
        }
        text += "\"".utf8
    }

    private mutating func array(depth: Int, to text: inout [UInt8]) {
        text += "[".utf8
        let count = Int.random(in: 0..<4, using: &random)
        for index in 0..<count {
            if index > 0 { text += ",".utf8 }
            value(depth: depth + 1, to: &text)
        }
        if count == 0 { space(to: &text) }
        text += "]".utf8
    }

    private mutating func object(depth: Int, to text: inout [UInt8]) {
        text += "{".utf8
        for index in 0..<Int.random(in: 0..<4, using: &random) {
            if index > 0 { text += ",".utf8 }
            names += 1
            space(to: &text)
            text += "\"n\(names)\"".utf8
            space(to: &text)
            text += ":".utf8
            value(depth: depth + 1, to: &text)
        }
        text += "}".utf8
    }
}
