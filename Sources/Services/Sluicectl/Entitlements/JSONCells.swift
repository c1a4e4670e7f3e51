internal import AppStoreModel
internal import CommandLine
internal import JSON

/// Formats members of a response as table cells. A missing member is printed as a dash.
enum JSONCells {
    static func objects(_ value: JSONValue?) -> [JSONObject] { (value?.array ?? []).compactMap(\.object) }

    static func instant(_ value: JSONValue?) -> String? {
        value?.integer.flatMap { AppStoreInstant(millisecondsSince1970: $0) }.map { PlainText.seconds($0) }
    }

    static func cell(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text): text.isEmpty ? "-" : PlainText.printable(text)
        case .bool(let value): value ? "yes" : "no"
        case .number(let number): number.text
        default: "-"
        }
    }

    /// Formats the strings in an array, separated by commas.
    static func texts(_ value: JSONValue?) -> String {
        let texts = (value?.array ?? []).compactMap(\.string).map { PlainText.printable($0) }
        return texts.isEmpty ? "-" : texts.joined(separator: ", ")
    }
}
