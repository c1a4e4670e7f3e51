/// A share from 0% to 100%, exact to a hundredth of a percent.
package struct Percentage: Sendable, Equatable {
    /// The share in hundredths of a percent, 0 to 10000.
    package let basisPoints: Int

    /// Returns `nil` for values outside the range 0 to 10000.
    package init?(basisPoints: Int) {
        guard (0...10_000).contains(basisPoints) else { return nil }
        self.basisPoints = basisPoints
    }

    private init(unchecked basisPoints: Int) {
        self.basisPoints = basisPoints
    }

    package static let zero = Percentage(unchecked: 0)

    /// Parses text such as `15%`, `15` or `0.25%`. Returns `nil` if the text is malformed or the share exceeds 100%.
    package init?(text: String) {
        let number = text.hasSuffix("%") ? text.dropLast() : text[...]
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ (1...3).contains($0.utf8.count) }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let whole = Int(parts[0])
        else { return nil }
        var hundredths = 0
        if parts.count == 2 {
            guard parts[1].utf8.count <= 2, let fraction = Int(parts[1]) else { return nil }
            hundredths = parts[1].utf8.count == 1 ? fraction * 10 : fraction
        }
        self.init(basisPoints: whole * 100 + hundredths)
    }

    /// The percentage in the format that ``init(text:)`` parses.
    package var text: String {
        let fraction = basisPoints % 100
        guard fraction > 0 else { return "\(basisPoints / 100)%" }
        return "\(basisPoints / 100).\(fraction < 10 ? "0" : "")\(fraction)%"
    }

    /// Returns this share of a count, rounded to the nearest integer.
    package func of(_ count: Int) -> Int {
        let (whole, rest) = count.quotientAndRemainder(dividingBy: 10_000)
        return whole * basisPoints + (rest * basisPoints + 5000) / 10_000
    }
}
