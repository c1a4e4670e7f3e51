internal import AppStoreModel

/// Formats text for terminals.
enum PlainText {
    /// Makes untrusted text printable by replacing control characters, which a terminal would interpret, with `?`.
    static func printable(_ text: String, maximum: Int = 512) -> String {
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

    /// Formats a time to the second: `2026-11-21T17:15:16Z`.
    static func seconds(_ instant: AppStoreInstant) -> String {
        String(instant.description.prefix(19)) + "Z"
    }

    /// Formats rows as aligned columns, separated by two spaces. The last column is not padded.
    static func table(_ rows: [[String]], indent: String = "") -> String {
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
    static func line(_ cells: [String], widths: [Int]) -> String {
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
