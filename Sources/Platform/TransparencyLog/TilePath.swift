/// The path of a tile or an entry bundle in a log (c2sp.org/tlog-tiles): `tile/0/x001/234.p/17`, `tile/entries/067`.
package struct TilePath: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// Hashes of subtrees with 256^`level` leaves each.
        case hashes(level: Int)
        case entries
    }

    /// The number of hashes or entries in a full tile.
    package static let fullWidth = 256
    /// The maximum index, chosen so that the index of every leaf fits in an `Int`.
    package static let maximumIndex = Int.max >> 8

    package let content: Content
    /// The index within the level, from the left.
    package let index: Int
    /// The number of hashes or entries, 1...256. A partial tile has fewer than 256.
    package let width: Int

    /// - Precondition: `index` and `width` are in range, so they must come from a tree, not from external input.
    package init(_ content: Content, index: Int, width: Int = TilePath.fullWidth) {
        precondition((0...Self.maximumIndex).contains(index) && (1...Self.fullWidth).contains(width))
        self.content = content
        self.index = index
        self.width = width
    }

    package static func hashes(level: Int, index: Int, width: Int = TilePath.fullWidth) -> TilePath {
        TilePath(.hashes(level: level), index: index, width: width)
    }

    package static func entries(index: Int, width: Int = TilePath.fullWidth) -> TilePath {
        TilePath(.entries, index: index, width: width)
    }

    package var isFull: Bool { width == Self.fullWidth }

    /// The full tile with the same content and index.
    package var full: TilePath { TilePath(content, index: index) }

    package var text: String {
        switch content {
        case .hashes(let level): "tile/\(level)/\(Self.text(index: index, width: width))"
        case .entries: "tile/entries/\(Self.text(index: index, width: width))"
        }
    }

    /// Returns the number of entry bundles in a tree with `size` leaves, including a partial bundle. The
    /// calculation cannot overflow.
    package static func bundleCount(size: Int) -> Int { size / fullWidth + (size % fullWidth > 0 ? 1 : 0) }

    /// Returns the partial tiles on the right edge of a tree with `size` leaves, lowest level first.
    package static func partialTiles(ofSize size: Int) -> [TilePath] {
        var tiles: [TilePath] = []
        var count = size
        var level = 0
        while count > 0 {
            if count & 255 != 0 { tiles.append(.hashes(level: level, index: count >> 8, width: count & 255)) }
            count >>= 8
            level += 1
        }
        return tiles
    }

    /// Returns the number of full tiles at one level of a tree with `size` leaves, and the width of the partial tile
    /// after them, or 0 if there is none.
    package static func count(level: Int, size: Int) -> (full: Int, partialWidth: Int) {
        guard level < 8 else { return (0, 0) }
        let hashes = size >> (8 * level)
        return (hashes >> 8, hashes & 255)
    }
}

extension TilePath {
    /// Returns text such as `x001/x234/067`, followed by `.p/<width>` if the width is below 256. Other files that are
    /// numbered like tiles, such as segments, have the same format.
    package static func text(index: Int, width: Int = TilePath.fullWidth) -> String {
        text(number: index) + (width == fullWidth ? "" : ".p/\(width)")
    }

    /// Returns a number in groups of three digits, such as `x001/x234/067` for `1234067`.
    package static func text(number: Int) -> String {
        var rest = number / 1000
        var text = threeDigits(number % 1000)
        while rest > 0 {
            text = "x\(threeDigits(rest % 1000))/\(text)"
            rest /= 1000
        }
        return text
    }

    /// Parses a number in the format of ``text(number:)``. Returns nil for any other text.
    package static func number(_ text: some StringProtocol) -> Int? { number(bytes: Array(text.utf8)[...]) }

    /// Parses an index and a width in the format of ``text(index:width:)``. Returns nil for any other text.
    package static func indexAndWidth(_ text: some StringProtocol) -> (index: Int, width: Int)? {
        let bytes = Array(text.utf8)
        var index = bytes[...]
        var width = fullWidth
        if let slash = bytes.lastIndex(of: UInt8(ascii: "/")), bytes[..<slash].suffix(2).elementsEqual(".p".utf8) {
            guard let value = DecimalText.value(bytes[(slash + 1)...]), (1..<fullWidth).contains(value) else {
                return nil
            }
            width = value
            index = bytes[..<(slash - 2)]
        }
        guard let value = number(bytes: index), value <= maximumIndex else { return nil }
        return (value, width)
    }

    private static func number(bytes: ArraySlice<UInt8>) -> Int? {
        let elements = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard elements.count <= 7 else { return nil }
        var value = 0
        for (place, element) in elements.enumerated() {
            var digits = element
            if place < elements.count - 1 {
                guard digits.popFirst() == UInt8(ascii: "x") else { return nil }
            }
            guard digits.count == 3, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            let group = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            guard place > 0 || elements.count == 1 || group > 0 else { return nil }
            let (scaled, tooLarge) = value.multipliedReportingOverflow(by: 1000)
            let (sum, overflows) = scaled.addingReportingOverflow(group)
            guard !tooLarge, !overflows else { return nil }
            value = sum
        }
        return value
    }

    private static func threeDigits(_ value: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }

    /// Parses a path. Returns nil for any other text.
    package init?(text: String) {
        guard text.utf8.starts(with: "tile/".utf8) else { return nil }
        let rest = text.utf8.dropFirst(5)
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let kind = rest[..<slash]
        let place = text[text.utf8.index(after: slash)...]
        guard let (index, width) = Self.indexAndWidth(place) else { return nil }
        if kind.elementsEqual("entries".utf8) {
            self.init(.entries, index: index, width: width)
        } else {
            guard let level = DecimalText.value(kind), level <= 63 else { return nil }
            self.init(.hashes(level: level), index: index, width: width)
        }
    }
}
