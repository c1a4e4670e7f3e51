/// A JSON object as text, with its members in the order they were put. An absent (`nil`) value puts nothing.
struct PayloadText: Sendable {
    private var members = ""

    /// The object with its braces.
    var text: String { "{" + members + "}" }

    mutating func put(_ name: String, _ value: String?) {
        guard let value else { return }
        putRaw(name, Self.quoted(value))
    }

    mutating func put(_ name: String, _ value: Int64?) {
        guard let value else { return }
        putRaw(name, String(value))
    }

    mutating func put(_ name: String, _ value: Bool?) {
        guard let value else { return }
        putRaw(name, value ? "true" : "false")
    }

    mutating func put(_ name: String, _ value: PayloadText?) {
        guard let value else { return }
        putRaw(name, value.text)
    }

    mutating func put(_ name: String, _ values: [String]?) {
        guard let values else { return }
        putRaw(name, "[" + values.map(Self.quoted).joined(separator: ",") + "]")
    }

    mutating func put(_ name: String, _ values: [PayloadText]?) {
        guard let values else { return }
        putRaw(name, "[" + values.map(\.text).joined(separator: ",") + "]")
    }

    private mutating func putRaw(_ name: String, _ value: String) {
        if !members.isEmpty { members += "," }
        members += Self.quoted(name) + ":" + value
    }

    /// `text` as a JSON string.
    static func quoted(_ text: String) -> String {
        // Nearly every text, and each of the long signed ones.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) { return "\"" + text + "\"" }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
