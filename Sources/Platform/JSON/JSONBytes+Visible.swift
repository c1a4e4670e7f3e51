extension JSONBytes {
    /// Appends quoted text like ``append(quoted:to:)``, and also escapes C1 control characters, line separators and
    /// bidirectional formatting marks. Use it for untrusted text that people read, for example in a log.
    ///
    /// - Parameter limit: the maximum length of the text in UTF-8 bytes, before escaping. Longer text is truncated
    ///   between code points, and `…` is appended.
    package static func append(visible text: String, limit: Int = .max, to output: inout [UInt8]) {
        var text = text
        let isWritten = text.withUTF8 { utf8 in
            guard utf8.count <= limit, utf8.allSatisfy({ Self.isPlain($0) }) else { return false }
            output.append(UInt8(ascii: "\""))
            output.append(contentsOf: utf8)
            output.append(UInt8(ascii: "\""))
            return true
        }
        if !isWritten { append(escapingInvisible: text, limit: limit, to: &output) }
    }

    /// Whether a byte is printable ASCII and needs no escape.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func append(escapingInvisible text: String, limit: Int, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var written = 0
        for scalar in text.unicodeScalars {
            let length = UTF8.width(scalar)
            guard written <= limit - length else {
                output.append(contentsOf: "…".utf8)
                break
            }
            written += length
            switch scalar.value {
            case 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069:
                append(codeUnit: UInt16(truncatingIfNeeded: scalar.value), to: &output)
            case 0..<0x80: append(escaped: UInt8(truncatingIfNeeded: scalar.value), to: &output)
            default: output.append(contentsOf: scalar.utf8)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
