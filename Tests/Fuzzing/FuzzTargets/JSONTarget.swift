import AppStoreModel
import Foundation
import JSON

extension FuzzTarget {
    /// Parses a JSON text. The result must equal Foundation's, or the rejection must have a reason listed in
    /// ``JSONAgreement``. Encoding must preserve the value.
    static let json = FuzzTarget(
        "json", seeds: JSONSeeds.texts, tokens: JSONSeeds.tokens, maximumBytes: 1024,
        generate: { random in
            var generator = JSONTextGenerator(random: random)
            defer { random = generator.random }
            return generator.text()
        },
        check: { bytes throws(Violation) in
            try JSONAgreement.check(bytes)
            guard let document = try? JSONDocument(bytes) else { return }
            let value = JSONValue(document.root)
            let again: JSONValue
            do { again = try JSONValue(json: value.json) } catch {
                throw Violation("encoded text is not parsed: \(error)")
            }
            try hold(again == value, "encoding and parsing yields another value")
        })
}

enum JSONSeeds {
    static let texts: [[UInt8]] = [
        #"{"signedPayload":"abc.def.ghi"}"#, #"{"a":[1,-0.5e+3,true,null,"\u00e9\ud83d\ude00"],"b":{}}"#, "[]", "0",
        #" "x" "#, #"{"version":"2.0","signedDate":1698148900000,"data":{"status":1,"bundleId":"com.example"}}"#,
    ].map { Array($0.utf8) }

    static let tokens = [
        "{", "}", "[", "]", ":", ",", "\"", "null", "true", "false", "\\u", "\\ud83d\\ude00", "\\udc00", "\\\"", "\\\\",
        "e+9", "1e999", "-0", ".5", "9223372036854775808", "\"a\":", "\u{FEFF}", "é", "😀", "\u{7F}", "\"\\u0061\":1,",
    ]
}

/// Compares the scanner with Foundation's parser. The scanner must reject every text that Foundation rejects, and read
/// the same values.
enum JSONAgreement {
    /// Faults that only the scanner rejects: duplicate names, a depth beyond the limit, an unpaired surrogate, a byte
    /// order mark, a control byte, and UTF-8 that Foundation repairs. It also rejects a trailing comma, and UTF-16 and
    /// UTF-32, which Foundation detects by their zero bytes.
    private static let stricter: Set<JSONError.Code> = [
        .duplicateName, .tooDeep, .loneSurrogate, .byteOrderMark, .invalidUTF8, .controlCharacter,
    ]

    static func check(_ text: [UInt8]) throws(Violation) {
        let theirs = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
        let document: JSONDocument
        do {
            document = try JSONDocument(text)
        } catch {
            guard !stricter.contains(error.code), !isTrailingComma(text, before: error.offset), !text.contains(0) else {
                return
            }
            return try hold(theirs == nil, "only the scanner rejects it: \(error)")
        }
        guard let theirs else { return try hold(hasHugeNumber(document.root), "only the scanner accepts it") }
        try hold(isEqual(document.root, theirs), "read as \(theirs)")
    }

    /// Foundation accepts a trailing comma that is followed by white space.
    private static func isTrailingComma(_ text: [UInt8], before offset: Int) -> Bool {
        let isEnd = text[offset...].first.map { Array("]}".utf8).contains($0) } ?? false
        return isEnd && text[..<offset].last { !Array(" \t\r\n".utf8).contains($0) } == UInt8(ascii: ",")
    }

    /// Foundation rejects numbers that a Double cannot represent.
    private static func hasHugeNumber(_ element: JSONElement) -> Bool {
        if let text = element.number?.text { return Double(text).map { !$0.isFinite } ?? true }
        return element.elements.contains(where: hasHugeNumber)
            || element.members.contains { hasHugeNumber($0.value) }
    }

    /// Foundation first parses long numbers as decimals, which rounds the last digits differently.
    private static func isEqual(_ theirs: Double, _ exact: Double) -> Bool {
        theirs == exact || (theirs - exact).magnitude <= exact.magnitude * 1e-14
    }

    /// Foundation drops a byte order mark that follows an escape.
    private static func isEqual(_ ours: String?, _ theirs: String?) -> Bool {
        guard let ours, let theirs else { return false }
        let mark: Unicode.Scalar = "\u{FEFF}"
        return ours.unicodeScalars.filter { $0 != mark }.elementsEqual(theirs.unicodeScalars.filter { $0 != mark })
    }

    private static func isEqual(_ ours: JSONElement, _ theirs: Any) -> Bool {
        switch ours.kind {
        case .null: return theirs is NSNull
        case .bool: return (theirs as? Bool) == ours.bool
        case .string: return isEqual(ours.string, theirs as? String)
        case .number:
            guard let number = theirs as? NSNumber, let text = ours.number?.text else { return false }
            return isEqual(number.doubleValue, Double(text) ?? .nan)
        case .array:
            guard let array = theirs as? [Any], array.count == ours.elements.count else { return false }
            return zip(ours.elements, array).allSatisfy { isEqual($0, $1) }
        case .object:
            guard let object = theirs as? [String: Any] else { return false }
            // Foundation treats canonically equivalent names as equal, and keeps either value.
            let names = Set(ours.members.map(\.name))
            guard names.count == ours.members.count else { return true }
            guard !ours.members.contains(where: { $0.name.unicodeScalars.contains("\u{FEFF}") }) else { return true }
            return ours.members.allSatisfy { member in object[member.name].map { isEqual(member.value, $0) } ?? false }
        }
    }
}
