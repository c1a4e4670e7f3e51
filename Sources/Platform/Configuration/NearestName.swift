/// Suggests the name that an operator most likely meant.
package enum NearestName {
    /// Returns the nearest of `names`, or nil if none is near. A name is near if its distance is at most two, or at
    /// most a third of the longer name's length.
    package static func of(_ wrong: String, in names: some Sequence<String>) -> String? {
        let wanted = Array(wrong.lowercased().utf8.prefix(128))
        var best: (name: String, distance: Int)?
        for name in names {
            let candidate = Array(name.lowercased().utf8.prefix(128))
            let allowed = max(2, max(wanted.count, candidate.count) / 3)
            guard abs(candidate.count - wanted.count) <= allowed else { continue }
            let distance = self.distance(wanted, candidate)
            if distance <= allowed, distance < best?.distance ?? Int.max { best = (name, distance) }
        }
        return best?.name
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbors (optimal string alignment
    /// distance).
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        var row = last
        for i in 1...left.count {
            row[0] = i
            for j in 1...right.count {
                let replacement = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1)
                row[j] = min(last[j] + 1, row[j - 1] + 1, replacement)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            (beforeLast, last, row) = (last, row, beforeLast)
        }
        return last[right.count]
    }
}
