/// A signed statement, stored in the `retention` object, that specifies which of a log's segments are kept. Leaves,
/// tiles and entries are always kept.
///
/// ```
/// sluice-archive/retention@v2
/// <origin of the log>
/// minimum <index of the first leaf whose object is kept>
/// announced <index of the first leaf whose object is kept after the next deletion>
/// at <time of the announcement, in milliseconds since 1970>
/// ```
///
/// Version 1, from earlier releases, ends after the minimum. It is still written if there is no announcement, so that
/// earlier releases can read it. Neither version can be parsed as a checkpoint, because the third line is not a hash.
package struct Retention: Equatable, Sendable {
    /// An announced deletion of segments.
    package struct Announcement: Equatable, Sendable {
        /// Segments will be deleted if they end at or before this leaf. It is greater than the current minimum.
        package let minimum: Int
        /// The time of the announcement, in milliseconds since 1970.
        package let at: Int64

        package init(minimum: Int, at: Int64) {
            self.minimum = minimum
            self.at = at
        }
    }

    private static let header = "sluice-archive/retention@v"

    package let origin: String
    /// Segments may be missing if they end at or before this leaf.
    package let minimum: Int
    /// The announced deletion; nil if there is none.
    package let announced: Announcement?

    package init(origin: String, minimum: Int, announced: Announcement? = nil) {
        self.origin = origin
        self.minimum = minimum
        self.announced = announced
    }

    package var text: String {
        guard let announced else { return "\(Self.header)1\n\(origin)\nminimum \(minimum)\n" }
        return """
            \(Self.header)2
            \(origin)
            minimum \(minimum)
            announced \(announced.minimum)
            at \(announced.at)

            """
    }

    /// Parses the text form of a retention statement; returns nil for any other text.
    package init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 4, !lines[1].isEmpty, let minimum = Self.number("minimum ", lines[2]),
            let kept = Int(exactly: minimum)
        else { return nil }
        origin = String(lines[1])
        self.minimum = kept
        if lines.count == 6 {
            guard let next = Self.number("announced ", lines[3]).flatMap({ Int(exactly: $0) }), next > kept,
                let at = Self.number("at ", lines[4])
            else { return nil }
            announced = Announcement(minimum: next, at: at)
        } else {
            announced = nil
        }
        // Reject any text that differs from the canonical encoding.
        guard text.utf8.elementsEqual(self.text.utf8) else { return nil }
    }

    private static func number(_ name: String, _ line: Substring) -> Int64? {
        guard line.hasPrefix(name), let number = Int64(line.dropFirst(name.count)), number >= 0 else { return nil }
        return number
    }
}
