/// A piece of input for a message of one line: quoted, control characters escaped, cut after `maximum` characters. What
/// an operator has to find again, such as a path, is not cut.
func quoted(_ text: some StringProtocol, maximum: Int = 80) -> String {
    "\"" + printable(text, maximum: maximum) + "\""
}

/// As ``quoted(_:maximum:)``, without the quotation marks.
func printable(_ text: some StringProtocol, maximum: Int = 80) -> String {
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
    /// Without spaces and tabs at both ends.
    var trimmed: String {
        var rest = self[...]
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
