/// A check of `sluicectl cluster`; with a problem a switch would lose facts or tell something false.
typealias ClusterFinding = CheckFinding<ClusterCheck>

/// A contract: the values of `what`.
enum ClusterCheck: String {
    case brokers, topic, copy, certificates, group
}

extension [ClusterFinding] {
    /// Whether the cluster may be switched to; warnings are allowed.
    var isReady: Bool { !contains { $0.status == .problem } }

    /// A line for each finding.
    var text: String { PlainText.table(map(\.row)) }
}
