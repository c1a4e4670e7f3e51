internal import HTTPClient

/// One process, as reported by its admin listener.
struct TopMember: Sendable {
    let url: String
    /// The error if the listener did not respond, otherwise nil.
    var failure: String?
    /// The failing checks in `/readyz`, or none if the process is ready.
    var problems: [String] = []
    /// Lines in `/readyz` that do not affect the member's readiness, such as a pause, with its author and reason.
    var notes: [String] = []
    var page = MetricsPage([])

    var isReady: Bool { failure == nil && problems.isEmpty }

    /// The executable, determined by its metrics, or nil for another team's consumer.
    var executable: String? {
        TopMetrics.executables.first { prefix, _ in page.samples.contains { $0.name.hasPrefix(prefix) } }?.1
    }

    var version: String? { page.samples(of: TopMetrics.build).first?.labels["version"] }

    /// The conditions that differ from the usual state.
    var conditions: [String] {
        TopMetrics.conditions.compactMap { condition in page.maximum(of: condition.name).flatMap(condition.text) }
    }

    /// Reads a member's `/metrics` and `/readyz`.
    static func read(_ url: String, _ client: HTTPClient, within limit: Duration) async -> TopMember {
        var member = TopMember(url: url)
        do throws(HTTPClientError) {
            let metrics = try await client.send(HTTPClientRequest(url: url + "/metrics", timeout: limit))
            let readiness = try await client.send(HTTPClientRequest(url: url + "/readyz", timeout: limit))
            guard metrics.status == 200 else {
                member.failure = "no admin listener: /metrics responded with \(metrics.status)"
                return member
            }
            member.page = MetricsPage(metrics.body)
            let lines = String(decoding: readiness.body, as: UTF8.self).split(separator: "\n").map(String.init)
            if readiness.status == 200 {
                member.notes = lines.filter { $0 != "ready" }
            } else {
                member.problems = lines.isEmpty ? ["/readyz responded with \(readiness.status)"] : lines
            }
        } catch {
            member.failure = error.message
        }
        return member
    }
}

/// A member's rates between two readings.
struct TopRates: Sendable, Equatable {
    /// The rate of each outcome, per second.
    var outcomes: [String: Double] = [:]

    /// - Parameters:
    ///   - earlier: the earlier reading; if nil, there are no rates.
    ///   - seconds: the number of seconds between the readings.
    init(_ member: TopMember, since earlier: TopMember?, seconds: Double) {
        guard let earlier, earlier.failure == nil, member.failure == nil, seconds > 0 else { return }
        for counter in TopMetrics.outcomes {
            let before = earlier.page.sums(of: counter.name, by: counter.label)
            for (outcome, value) in member.page.sums(of: counter.name, by: counter.label) {
                // A counter decreases only if the process was restarted.
                let base = before[outcome] ?? 0
                let increase = value >= base ? value - base : value
                if increase > 0 { outcomes[counter.prefix + outcome] = increase / seconds }
            }
        }
    }

    var total: Double { outcomes.values.reduce(0, +) }
}
