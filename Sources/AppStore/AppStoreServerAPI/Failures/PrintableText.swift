/// Makes untrusted text safe for a log line or a terminal.
enum PrintableText {
    /// Replaces control characters, line separators and direction marks with spaces. Text longer than `limit` bytes is
    /// truncated at a character boundary and ends with `…`.
    static func bounded(_ text: String, to limit: Int) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            let printed = isPrintable(scalar) ? scalar : " "
            count += UTF8.width(printed)
            guard count <= limit - 3 || text.utf8.count <= limit else {
                result.append("…")
                break
            }
            result.append(printed)
        }
        return String(result)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
        default: true
        }
    }
}
