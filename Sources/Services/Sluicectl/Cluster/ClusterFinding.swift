internal import CommandLine

/// A `sluicectl cluster` check. A problem means that a switch would lose facts or produce wrong answers.
typealias ClusterFinding = CheckFinding<ClusterCheck>

/// The checks. The raw values are a public contract: they are the values of `what` in the JSON output.
enum ClusterCheck: String {
    case brokers, topic, copy, certificates, group
}

extension [ClusterFinding] {
    /// Whether a switch to the cluster is safe; warnings are allowed.
    var isReady: Bool { !contains { $0.status == .problem } }

    /// The findings as text, one line each.
    var text: String { PlainText.table(map(\.row)) }
}
