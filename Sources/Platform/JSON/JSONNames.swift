/// Compares member names and detects duplicates.
@usableFromInline
package enum JSONNames {
    /// The maximum number of names to compare pairwise. More names, or names with escapes, are compared with a hash
    /// set, which is seeded randomly per process.
    private static let pairwiseLimit = 64

    /// Throws if an object has too many names or a duplicate name.
    ///
    /// - Parameter maximum: the maximum number of names; an object with more is rejected before the comparison.
    static func refuseDuplicates(
        in nodes: [JSONNode], object: Int, atMost maximum: Int, _ input: Span<UInt8>
    ) throws(JSONError) {
        let end = Int(nodes[object].next)
        var count = 0
        var hasEscapes = false
        var name = object + 1
        while name < end {
            count += 1
            hasEscapes = hasEscapes || nodes[name].hasEscapes
            name = Int(nodes[name + 1].next)
        }
        guard count <= maximum else { throw JSONError(.tooManyMembers, at: Int(nodes[object].start)) }
        guard count > 1 else { return }
        if count > pairwiseLimit || hasEscapes {
            try refuseDuplicatesByHash(in: nodes, object: object, count: count, input)
        } else {
            try refuseDuplicatesByPairs(in: nodes, object: object, input)
        }
    }

    private static func refuseDuplicatesByPairs(
        in nodes: [JSONNode], object: Int, _ input: Span<UInt8>
    ) throws(JSONError) {
        let end = Int(nodes[object].next)
        var later = object + 1
        while later < end {
            let candidate = nodes[later]
            var earlier = object + 1
            while earlier < later {
                let other = nodes[earlier]
                if other.fingerprint == candidate.fingerprint, isEqual(other, candidate, input) {
                    throw JSONError(.duplicateName, at: Int(candidate.start))
                }
                earlier = Int(nodes[earlier + 1].next)
            }
            later = Int(nodes[later + 1].next)
        }
    }

    private static func refuseDuplicatesByHash(
        in nodes: [JSONNode], object: Int, count: Int, _ input: Span<UInt8>
    ) throws(JSONError) {
        let end = Int(nodes[object].next)
        var seen: Set<[UInt8]> = []
        seen.reserveCapacity(count)
        var name = object + 1
        while name < end {
            let node = nodes[name]
            let text = JSONBytes.decoded(input, from: Int(node.start), to: Int(node.end))
            guard seen.insert(text).inserted else { throw JSONError(.duplicateName, at: Int(node.start)) }
            name = Int(nodes[name + 1].next)
        }
    }

    private static func isEqual(_ one: JSONNode, _ other: JSONNode, _ input: Span<UInt8>) -> Bool {
        let length = Int(one.end - one.start)
        guard length == Int(other.end - other.start) else { return false }
        for index in 0..<length where input[Int(one.start) + index] != input[Int(other.start) + index] {
            return false
        }
        return true
    }

    /// Whether the name at `node`, with escapes resolved, equals `name`.
    @inlinable @inline(__always)
    package static func isEqual(_ node: JSONNode, to name: StaticString, _ input: Span<UInt8>) -> Bool {
        // Most unequal names differ in length and are rejected here.
        if Int(node.end &- node.start) != name.utf8CodeUnitCount, !node.hasEscapes { return false }
        return isEqualText(node, to: name, input)
    }

    @usableFromInline
    static func isEqualText(_ node: JSONNode, to name: StaticString, _ input: Span<UInt8>) -> Bool {
        let start = Int(node.start)
        let length = Int(node.end) - start
        if node.hasEscapes {
            return JSONBytes.decoded(input, from: start, to: Int(node.end))
                .elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        }
        guard length == name.utf8CodeUnitCount else { return false }
        guard length >= 8 else {
            for index in 0..<length where input[start + index] != name.utf8Start[index] { return false }
            return true
        }
        // Compares eight bytes per step; the last step may overlap the previous one.
        let bytes = input.bytes
        let text = UnsafeRawPointer(name.utf8Start)
        var offset = 0
        while true {
            // In bounds: the node is inside the input, and offset + 8 is within both names.
            let one = bytes.unsafeLoadUnaligned(fromByteOffset: start + offset, as: UInt64.self)
            guard one == text.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            guard offset + 8 < length else { return true }
            offset = min(offset + 8, length - 8)
        }
    }
}
