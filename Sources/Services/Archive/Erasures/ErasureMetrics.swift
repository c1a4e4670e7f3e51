internal import ArchiveKeys
internal import Telemetry

/// Counts the records in the erasures topic by outcome.
struct ErasureMetrics: Sendable {
    /// Records that cannot be parsed or whose pseudonyms were derived from a different key.
    let refused: Counter
    private let outcomes: [String: Counter]

    init(_ registry: MetricsRegistry) {
        let counter = { (outcome: String) in
            registry.counter(
                ArchiveMetricName.erasures, help: "Records in the erasures topic, by outcome on this host.",
                labels: [MetricLabel("outcome", outcome)])
        }
        refused = counter("refused")
        outcomes = Dictionary(uniqueKeysWithValues: ErasureOutcome.names.map { ($0, counter($0)) })
    }

    func count(_ outcome: ErasureOutcome) { outcomes[outcome.name]?.increment() }
}

extension ErasureOutcome {
    static let names = ["destroyed", "already_done", "held", "hold_begun", "hold_ended"]

    /// The value of the metric's label.
    var name: String {
        switch self {
        case .destroyed: Self.names[0]
        case .alreadyDone: Self.names[1]
        case .held: Self.names[2]
        case .holdBegun: Self.names[3]
        case .holdEnded: Self.names[4]
        }
    }
}
