/// A set of member names that are looked up together in one pass over an object.
package struct JSONMemberTable: Sendable {
    /// The maximum number of names in a table.
    package static let maximumCount = 48

    /// The node index of each name's value, indexed by the name's number; 0 if the object has no such member.
    package typealias Values = [UInt32]

    /// The concatenated names.
    private let text: [UInt8]
    /// The start of each name in `text`, and the end of the last name.
    private let starts: [Int]
    /// For each hash, one plus the number of the last name with that hash, or 0 if there is none.
    private let heads: [UInt8]
    /// For each name, one plus the number of the previous name with the same hash, or 0 if there is none.
    private let links: [UInt8]

    /// - Parameter names: at most ``maximumCount`` distinct names. A name's position is its number.
    package init(_ names: [String]) {
        var (text, starts, links): ([UInt8], [Int], [UInt8]) = ([], [0], [])
        var heads = [UInt8](repeating: 0, count: 128)
        for (number, name) in names.prefix(Self.maximumCount).enumerated() {
            text.append(contentsOf: name.utf8)
            starts.append(text.count)
            let hash = Self.hash(JSONBytes.fingerprint(text.span, from: starts[number], to: text.count))
            links.append(heads[hash])
            heads[hash] = UInt8(truncatingIfNeeded: number + 1)
        }
        (self.text, self.starts, self.heads, self.links) = (text, starts, heads, links)
    }

    /// Finds the values of an object's members.
    ///
    /// - Returns: the values, or nil if a name contains escapes, because an escaped name could equal any name.
    package func values(of object: Int, in document: JSONDocument) -> Values? {
        let (nodes, input) = (document.nodes.span, document.bytes.span)
        var values = Values(repeating: 0, count: starts.count - 1)
        let end = Int(nodes[object].next)
        var position = object + 1
        while position < end {
            let name = nodes[position]
            if name.hasEscapes { return nil }
            if let number = number(of: name, input) { values[number] = UInt32(truncatingIfNeeded: position + 1) }
            position = Int(nodes[position + 1].next)
        }
        return values
    }

    private func number(of name: JSONNode, _ input: Span<UInt8>) -> Int? {
        var candidate = Int(heads[Self.hash(name.fingerprint)])
        while candidate > 0 {
            if isName(candidate - 1, name, input) { return candidate - 1 }
            candidate = Int(links[candidate - 1])
        }
        return nil
    }

    private func isName(_ number: Int, _ name: JSONNode, _ input: Span<UInt8>) -> Bool {
        let (start, count) = (starts[number], starts[number + 1] - starts[number])
        guard Int(name.end) - Int(name.start) == count else { return false }
        for offset in 0..<count where text[start + offset] != input[Int(name.start) + offset] { return false }
        return true
    }

    private static func hash(_ fingerprint: UInt16) -> Int { Int((fingerprint ^ fingerprint >> 7) & 127) }
}
