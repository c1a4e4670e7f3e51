internal import AppStoreModel
internal import JSON

/// Part of check 14: signed texts that become keys, headers, file names and URLs downstream keep to a narrow grammar, and
/// no text anywhere smuggles control characters behind an escape.
enum TextCheck {
    static let greatestCount = 128

    /// Digits only.
    static func isNumber(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...greatestCount).contains(bytes.count) && bytes.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
    }

    /// Letters, digits, dot, hyphen and underscore of ASCII.
    static func isToken(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...greatestCount).contains(bytes.count) && bytes.allSatisfy(isTokenByte)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// - Throws: odd when the field is there and does not follow the grammar.
    static func check<Value: RawRepresentable<String>>(
        _ field: EnvelopeField<Value>, _ name: String, _ isAllowed: (String) -> Bool
    ) throws(Rejection) {
        switch field {
        case .absent: return
        case .malformed: throw .nonconforming(.profileText, detail: "\(name) is not a bounded text")
        case .value(let value):
            guard isAllowed(value.rawValue) else {
                throw .nonconforming(.profileText, detail: "\(name) has characters that its grammar does not have")
            }
        }
    }

    /// Refuses escapes of control characters other than tab and line ends.
    static func checkEscapes(_ payload: JSONDocument, of object: String) throws(Rejection) {
        guard payload.hasEscapes else { return }
        let bytes = payload.bytes.span
        var at = 0
        // Outside of strings JSON has no backslash, and inside none is the last byte.
        while at + 1 < bytes.count {
            guard bytes[at] == UInt8(ascii: "\\") else {
                at += 1
                continue
            }
            let isControl: Bool
            switch bytes[at + 1] {
            case UInt8(ascii: "b"), UInt8(ascii: "f"): isControl = true
            case UInt8(ascii: "u"): isControl = isControlEscape(bytes, at: at + 2)
            default: isControl = false
            }
            guard !isControl else { throw .nonconforming(.profileText, detail: "\(object): a control character") }
            at += 2
        }
    }

    /// `00` and a code below 20, or 7F, but not 09, 0A and 0D.
    private static func isControlEscape(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        guard start + 4 <= bytes.count, bytes[start] == UInt8(ascii: "0"), bytes[start + 1] == UInt8(ascii: "0") else {
            return false
        }
        let high = bytes[start + 2]
        let low = bytes[start + 3] | 0x20
        switch high {
        case UInt8(ascii: "0"): return low != UInt8(ascii: "9") && low != UInt8(ascii: "a") && low != UInt8(ascii: "d")
        case UInt8(ascii: "1"): return true
        case UInt8(ascii: "7"): return low == UInt8(ascii: "f")
        default: return false
        }
    }
}
