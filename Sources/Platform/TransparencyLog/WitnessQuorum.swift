/// A quorum of witnesses (c2sp.org/tlog-policy): a single witness, or a minimum number of a group's members. Members
/// are witnesses and other groups.
package struct WitnessQuorum: Equatable, Sendable {
    /// A group member, identified by its index among the witnesses or among the groups.
    package enum Member: Hashable, Sendable {
        case witness(Int)
        case group(Int)
    }

    package struct Group: Equatable, Sendable {
        /// The number of members required, from 1 to the number of members.
        package let threshold: Int
        package let members: [Member]

        package init(threshold: Int, members: [Member]) {
            self.threshold = threshold
            self.members = members
        }
    }

    /// The groups. Each group contains only witnesses and earlier groups.
    private let groups: [Group]
    /// The member that must be satisfied; nil if no witness is required.
    private let root: Member?

    package init(_ root: Member?, groups: [Group] = []) {
        self.root = root
        self.groups = groups
    }

    /// Creates a quorum that requires `threshold` of `count` witnesses.
    package init(_ threshold: Int, of count: Int) {
        self.init(.group(0), groups: [Group(threshold: threshold, members: (0..<count).map { .witness($0) })])
    }

    /// Whether no cosignature is required.
    package var isNone: Bool { root == nil }

    /// Whether the witnesses with these indexes satisfy the quorum.
    package func isMet(by witnesses: Set<Int>) -> Bool {
        guard let root else { return true }
        var results: [Bool] = []
        func isMet(_ member: Member) -> Bool {
            switch member {
            case .witness(let index): witnesses.contains(index)
            // A group that is not listed before its containing group never counts.
            case .group(let index): results.indices.contains(index) && results[index]
            }
        }
        for group in groups { results.append(group.members.count(where: isMet) >= group.threshold) }
        return isMet(root)
    }
}
