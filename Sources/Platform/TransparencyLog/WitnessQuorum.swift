/// Which sets of witnesses are enough, as c2sp.org/tlog-policy defines it: a witness, or so many members of a group, whose
/// members are witnesses and groups.
package struct WitnessQuorum: Equatable, Sendable {
    /// A member of a group, by its index among the witnesses or among the groups.
    package enum Member: Hashable, Sendable {
        case witness(Int)
        case group(Int)
    }

    package struct Group: Equatable, Sendable {
        /// At least 1, and at most as many as there are members.
        package let threshold: Int
        package let members: [Member]

        package init(threshold: Int, members: [Member]) {
            self.threshold = threshold
            self.members = members
        }
    }

    /// Each has only groups before it as members.
    private let groups: [Group]
    /// Nil: no witness is needed.
    private let root: Member?

    package init(_ root: Member?, groups: [Group] = []) {
        self.root = root
        self.groups = groups
    }

    /// So many of `count` witnesses.
    package init(_ threshold: Int, of count: Int) {
        self.init(.group(0), groups: [Group(threshold: threshold, members: (0..<count).map { .witness($0) })])
    }

    /// Whether any cosignature is needed.
    package var isNone: Bool { root == nil }

    /// Whether these witnesses are enough, by their indexes.
    package func isMet(by witnesses: Set<Int>) -> Bool {
        guard let root else { return true }
        var results: [Bool] = []
        func isMet(_ member: Member) -> Bool {
            switch member {
            case .witness(let index): witnesses.contains(index)
            // A group that is not before the one that names it is never met.
            case .group(let index): results.indices.contains(index) && results[index]
            }
        }
        for group in groups { results.append(group.members.count(where: isMet) >= group.threshold) }
        return isMet(root)
    }
}
