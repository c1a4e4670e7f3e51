/// Formats input for a one-line message: quoted, with control characters escaped, and truncated after `maximum`
/// characters. Pass `.max` for text that an operator needs in full, such as a path.
package func quoted(_ text: some StringProtocol, maximum: Int = 80) -> String {
    "\"" + printable(text, maximum: maximum) + "\""
}

/// Formats input like ``quoted(_:maximum:)``, without quotation marks.
package func printable(_ text: some StringProtocol, maximum: Int = 80) -> String {
    var result = ""
    for (position, scalar) in text.unicodeScalars.enumerated() {
        guard position < maximum else { return result + "…" }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            result += "\\u{" + String(scalar.value, radix: 16) + "}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

extension StringProtocol {
    /// The text without leading and trailing spaces and tabs.
    var trimmed: String {
        var rest = self[...]
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
