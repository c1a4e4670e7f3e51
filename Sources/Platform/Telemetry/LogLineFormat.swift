internal import JSON
internal import Primitives

/// Encodes a log call as one line of bytes.
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
            JSONBytes.append(visible: label, to: &line)
            line.append(contentsOf: #","message":"#.utf8)
            JSONBytes.append(visible: message, to: &line)
            for field in fields {
                line.append(UInt8(ascii: ","))
                JSONBytes.append(visible: Self.name(field.key), to: &line)
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
        case .text(let text): JSONBytes.append(visible: text, limit: LogValue.maximumTextBytes, to: &line)
        case .integer(let integer): line.append(contentsOf: String(integer).utf8)
        case .real(let real) where real.isFinite: line.append(contentsOf: real.description.utf8)
        case .real(let real): JSONBytes.append(visible: real.description, to: &line)
        case .boolean(let boolean): line.append(contentsOf: (boolean ? "true" : "false").utf8)
        case .texts(let texts):
            line.append(UInt8(ascii: "["))
            for (index, text) in texts.prefix(64).enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                JSONBytes.append(visible: text, limit: LogValue.maximumTextBytes, to: &line)
            }
            line.append(UInt8(ascii: "]"))
        }
    }

    private static func appendPlain(_ value: LogValue, to line: inout [UInt8]) {
        // A plain word is written unquoted; anything else is quoted with JSON escapes, so that no text can forge a
        // line.
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
