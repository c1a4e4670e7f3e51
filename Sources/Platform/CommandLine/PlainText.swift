/// Formats text for terminals.
package enum PlainText {
    /// Makes untrusted text printable: replaces control characters, which a terminal would interpret, with `?`, and
    /// truncates the text after `maximum` characters.
    package static func printable(_ text: String, maximum: Int = 512) -> String {
        var result = String.UnicodeScalarView()
        for (position, scalar) in text.unicodeScalars.enumerated() {
            guard position < maximum else {
                result.append("…")
                break
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result.append("?")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Formats rows as aligned columns, separated by two spaces. The last column is not padded.
    package static func table(_ rows: [[String]], indent: String = "") -> String {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column < widths.count {
                    widths[column] = max(widths[column], cell.count)
                } else {
                    widths.append(cell.count)
                }
            }
        }
        return rows.map { indent + line($0, widths: widths) + "\n" }.joined()
    }

    /// Formats one row with the given column widths. A cell wider than its column shifts the rest of the row.
    package static func line(_ cells: [String], widths: [Int]) -> String {
        var text = ""
        for (column, cell) in cells.enumerated() {
            text += cell
            guard column < cells.count - 1 else { break }
            let width = column < widths.count ? widths[column] : 0
            text += String(repeating: " ", count: max(0, width - cell.count) + 2)
        }
        while text.last == " " { text.removeLast() }
        return text
    }
}
