internal import Time

/// Turns one log call into the bytes of a line.
struct LogLineFormat: Sendable {
    let format: Logger.Format
    let isColoured: Bool

    func line(
        timeMilliseconds: Int64, level: Logger.Level, label: String, message: String, fields: [LogField]
    ) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        switch format {
        case .json:
            line.append(contentsOf: #"{"time":""#.utf8)
            RFC3339.append(milliseconds: timeMilliseconds, to: &line)
            line.append(contentsOf: #"","level":""#.utf8)
            line.append(contentsOf: level.rawValue.utf8)
            line.append(contentsOf: #"","logger":"#.utf8)
            JSONText.append(label, to: &line)
            line.append(contentsOf: #","message":"#.utf8)
            JSONText.append(message, to: &line)
            for field in fields {
                line.append(UInt8(ascii: ","))
                JSONText.append(Self.name(field.key), to: &line)
                line.append(UInt8(ascii: ":"))
                Self.appendJSON(field.value, to: &line)
            }
            line.append(contentsOf: "}\n".utf8)
        case .text:
            RFC3339.append(milliseconds: timeMilliseconds, to: &line)
            line.append(UInt8(ascii: " "))
            appendLevel(level, to: &line)
            line.append(contentsOf: " \(label) \(message)".utf8)
            for field in fields {
                line.append(UInt8(ascii: " "))
                line.append(contentsOf: Self.name(field.key).utf8)
                line.append(UInt8(ascii: "="))
                Self.appendPlain(field.value, to: &line)
            }
            line.append(UInt8(ascii: "\n"))
        }
        return line
    }

    private static func name(_ key: LogKey) -> String {
        LogKey.reserved.contains(key.rawValue) ? "field." + key.rawValue : key.rawValue
    }

    private static func appendJSON(_ value: LogValue, to line: inout [UInt8]) {
        switch value {
        case .text(let text): JSONText.append(text, limit: LogValue.maximumTextBytes, to: &line)
        case .integer(let integer): line.append(contentsOf: String(integer).utf8)
        case .real(let real) where real.isFinite: line.append(contentsOf: real.description.utf8)
        case .real(let real): JSONText.append(real.description, to: &line)
        case .boolean(let boolean): line.append(contentsOf: (boolean ? "true" : "false").utf8)
        case .texts(let texts):
            line.append(UInt8(ascii: "["))
            for (index, text) in texts.prefix(64).enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                JSONText.append(text, limit: LogValue.maximumTextBytes, to: &line)
            }
            line.append(UInt8(ascii: "]"))
        }
    }

    private static func appendPlain(_ value: LogValue, to line: inout [UInt8]) {
        // A bare word stays bare; everything else is quoted with JSON's escapes, so that no text can forge a line.
        if case .text(let text) = value, !text.isEmpty, text.utf8.count < 200, text.utf8.allSatisfy(isBare) {
            line.append(contentsOf: text.utf8)
        } else {
            appendJSON(value, to: &line)
        }
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            && byte != UInt8(ascii: "=")
    }

    private func appendLevel(_ level: Logger.Level, to line: inout [UInt8]) {
        let name = level.rawValue.uppercased()
        let padded = name + String(repeating: " ", count: max(0, 7 - name.count))
        guard isColoured else { return line.append(contentsOf: padded.utf8) }
        let colour =
            switch level {
            case .debug: "90"
            case .info: "32"
            case .warning: "33"
            case .error: "31"
            }
        line.append(contentsOf: "\u{1B}[\(colour)m\(padded)\u{1B}[0m".utf8)
    }
}

/// A JSON string, its quotation marks included.
enum JSONText {
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// - Parameter limit: after this many bytes of UTF-8 the text is cut at a character and ends with `…`.
    static func append(_ text: String, limit: Int = .max, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        var written = 0
        for scalar in text.unicodeScalars {
            let length = UTF8.width(scalar)
            guard written <= limit - length else {
                line.append(contentsOf: "…".utf8)
                break
            }
            written += length
            switch scalar {
            case "\"": line.append(contentsOf: #"\""#.utf8)
            case "\\": line.append(contentsOf: #"\\"#.utf8)
            case "\n": line.append(contentsOf: #"\n"#.utf8)
            case "\r": line.append(contentsOf: #"\r"#.utf8)
            case "\t": line.append(contentsOf: #"\t"#.utf8)
            case _ where isControl(scalar):
                line.append(contentsOf: #"\u"#.utf8)
                for shift in [12, 8, 4, 0] as [UInt32] {
                    line.append(hexadecimal[Int(scalar.value >> shift & 0xF)])
                }
            case _ where scalar.isASCII: line.append(UInt8(truncatingIfNeeded: scalar.value))
            default: line.append(contentsOf: scalar.utf8)
            }
        }
        line.append(UInt8(ascii: "\""))
    }

    /// Control characters of ASCII and Latin-1, line separators, and the marks that turn the writing direction.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
