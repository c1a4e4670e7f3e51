/// A parser for the subset of Java's properties format that the configuration uses.
///
/// Lines are `key=value` or `key: value`; comments begin with `#` or `!`. A line with an odd number of backslashes at
/// its end continues on the next line, without that line's leading whitespace. The encoding is UTF-8. Escapes are `\t
/// \n \r \f \\ \= \: \# \! \" \'`, `\` before a space, and `\uXXXX` (surrogates in pairs). The parser is stricter than
/// Java: every line needs a separator, unknown escapes and duplicate keys are errors, and trailing spaces in a value
/// are ignored (to keep them, write the last one as `\ `).
package enum PropertiesFile {
    package struct Entry: Equatable {
        package let key: String
        package let value: String
        package let line: Int
    }

    /// The maximum size of a file, and of a line with its continuations, in bytes.
    static let maximumFileBytes = 1 << 20
    package static let maximumLineBytes = 64 * 1024

    package static func parse(_ bytes: [UInt8], path: String) -> (entries: [Entry], errors: [ConfigurationError]) {
        var entries: [Entry] = []
        var errors: [ConfigurationError] = []
        var firstLine: [String: Int] = [:]
        for logical in logicalLines(bytes) {
            let origin = ConfigurationOrigin.file(path: path, line: logical.line)
            do throws(LineError) {
                let (key, value) = try parseLine(logical.bytes)
                if let first = firstLine[key] {
                    let message = "is set twice; it is already set on line \(first). Remove one of the two."
                    errors.append(ConfigurationError(code: .duplicate, key: key, origin: origin, message: message))
                } else {
                    firstLine[key] = logical.line
                    entries.append(Entry(key: key, value: value, line: logical.line))
                }
            } catch {
                errors.append(ConfigurationError(code: .syntax, origin: origin, message: error.message))
            }
            // If the file is in a different format, every line is an error, so the first 20 are enough.
            if errors.count == 20 { break }
        }
        return (entries, errors)
    }

    private struct LineError: Error {
        let message: String
    }

    /// Joins lines with their continuations and omits comments and empty lines.
    private static func logicalLines(_ bytes: [UInt8]) -> [(line: Int, bytes: [UInt8])] {
        var result: [(line: Int, bytes: [UInt8])] = []
        var pending: (line: Int, bytes: [UInt8])?
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let lines = bytes[start...].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, raw) in lines.enumerated() {
            var line = raw.last == UInt8(ascii: "\r") ? raw.dropLast() : raw
            line = line.drop { isBlank($0) }
            if pending == nil, line.isEmpty || line.first == UInt8(ascii: "#") || line.first == UInt8(ascii: "!") {
                continue
            }
            let backslashes = line.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
            let continues = backslashes % 2 == 1
            if continues { line = line.dropLast() }
            var current = pending ?? (index + 1, [])
            // One byte above the limit is enough to reject the line.
            current.bytes.append(
                contentsOf: line.prefix(maximumLineBytes + 1 - min(current.bytes.count, maximumLineBytes)))
            if continues {
                pending = current
            } else {
                result.append(current)
                pending = nil
            }
        }
        if let pending { result.append(pending) }
        return result
    }

    private static func parseLine(_ bytes: [UInt8]) throws(LineError) -> (key: String, value: String) {
        guard bytes.count <= maximumLineBytes else {
            throw LineError(message: "the line has more than \(maximumLineBytes) bytes.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw LineError(message: "the line is not UTF-8. Save the file as UTF-8, or write \\uXXXX.")
        }
        guard !text.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\t" || $0.value == 127 }) else {
            throw LineError(message: "the line has a control character. The file must consist of key=value lines.")
        }
        let (key, valueStart) = try unescape(text.unicodeScalars[...], untilSeparator: true)
        guard valueStart < text.unicodeScalars.endIndex else {
            throw LineError(message: "the line has no \"=\". Write key=value, or # before a comment.")
        }
        let rest = text.unicodeScalars[text.unicodeScalars.index(after: valueStart)...].drop { isBlank($0) }
        let (value, _) = try unescape(rest, untilSeparator: false)
        guard !key.isEmpty else { throw LineError(message: "the line has no key before its separator.") }
        guard !key.unicodeScalars.contains(where: isBlank) else {
            throw LineError(message: "the key \(quoted(key)) has a space. Write key=value.")
        }
        return (key, value)
    }

    /// Returns the text, with escapes resolved, and the position where it ends: the end of the line or, if
    /// `untilSeparator` is true, the first unescaped separator. Unescaped trailing whitespace is removed.
    private static func unescape(
        _ scalars: Substring.UnicodeScalarView, untilSeparator: Bool
    ) throws(LineError) -> (text: String, end: String.Index) {
        var result = String.UnicodeScalarView()
        var keep = 0
        var count = 0
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            if untilSeparator, scalar == "=" || scalar == ":" { break }
            index = scalars.index(after: index)
            if scalar == "\\" {
                result.append(try escape(scalars, &index))
                keep = count + 1
            } else {
                result.append(scalar)
                if !isBlank(scalar) { keep = count + 1 }
            }
            count += 1
        }
        result.removeLast(count - keep)
        return (String(result), index)
    }

    private static func escape(
        _ scalars: Substring.UnicodeScalarView, _ index: inout String.Index
    ) throws(LineError) -> Unicode.Scalar {
        guard index < scalars.endIndex else { throw LineError(message: "the line ends inside an escape.") }
        let scalar = scalars[index]
        index = scalars.index(after: index)
        switch scalar {
        case "t": return "\t"
        case "n": return "\n"
        case "r": return "\r"
        case "f": return "\u{0C}"
        case "\\", "=", ":", "#", "!", " ", "\"", "'": return scalar
        case "u": return try unicodeEscape(scalars, &index)
        default:
            throw LineError(message: "unknown escape \(quoted("\\\(scalar)")). Write \\\\ for a backslash.")
        }
    }

    private static func unicodeEscape(
        _ scalars: Substring.UnicodeScalarView, _ index: inout String.Index
    ) throws(LineError) -> Unicode.Scalar {
        let first = try hexadecimalDigits(scalars, &index)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), scalars[index...].starts(with: "\\u".unicodeScalars) else {
            throw LineError(message: "a \\u escape is an unpaired surrogate.")
        }
        index = scalars.index(index, offsetBy: 2)
        let second = try hexadecimalDigits(scalars, &index)
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw LineError(message: "a \\u escape is an unpaired surrogate.") }
        return scalar
    }

    private static func hexadecimalDigits(
        _ scalars: Substring.UnicodeScalarView, _ index: inout String.Index
    ) throws(LineError) -> UInt32 {
        let digits = scalars[index...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ $0.properties.isASCIIHexDigit }),
            let value = UInt32(String(digits), radix: 16)
        else { throw LineError(message: "\\u must be followed by four hexadecimal digits.") }
        index = digits.endIndex
        return value
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
