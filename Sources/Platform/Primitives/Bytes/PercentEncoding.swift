/// Percent-encoding of text in URLs (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Decodes the percent-escapes in `text`. Returns nil if a `%` is not followed by two hexadecimal digits or the
    /// result is not UTF-8.
    package static func decode(_ text: Substring) -> String? {
        let source = Array(text.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            guard source[index] == UInt8(ascii: "%") else {
                bytes.append(source[index])
                index += 1
                continue
            }
            guard index + 2 < source.count, let high = source[index + 1].hexadecimalValue,
                let low = source[index + 2].hexadecimalValue
            else { return nil }
            bytes.append(high << 4 | low)
            index += 3
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
