/// From which leaf on the segments of a log are kept: the signed text in the object `retention`. The leaves themselves,
/// their tiles and entries, stay.
///
/// ```
/// sluice-archive/retention@v1
/// <origin of the log>
/// minimum <index of the first leaf whose object is kept>
/// ```
///
/// No checkpoint can be read from it: its third line is no hash.
package struct Retention: Equatable, Sendable {
    private static let header = "sluice-archive/retention@v1"

    package let origin: String
    /// Segments that end at or before this leaf may be absent.
    package let minimum: Int

    package init(origin: String, minimum: Int) {
        self.origin = origin
        self.minimum = minimum
    }

    package var text: String { "\(Self.header)\n\(origin)\nminimum \(minimum)\n" }

    /// The retention in the text of a note; nil when it is another text.
    package init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, lines[0] == Self.header, lines[3].isEmpty, !lines[1].isEmpty,
            lines[2].hasPrefix("minimum "), let minimum = Int(lines[2].dropFirst("minimum ".count)), minimum >= 0
        else { return nil }
        origin = String(lines[1])
        self.minimum = minimum
        guard text.utf8.elementsEqual(self.text.utf8) else { return nil }
    }
}
