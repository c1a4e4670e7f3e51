import TestSupport
import Testing

/// Compares the responses that clients received with the topics.
struct Ledger {
    let outcomes: [Load.Outcome]
    /// The notificationUUIDs of all records, including repetitions.
    let records: [String]

    init(_ outcomes: [Load.Outcome], _ broker: Broker) async throws {
        self.init(outcomes, records: try await broker.notificationUUIDs())
    }

    init(_ outcomes: [Load.Outcome], records: [String]) {
        self.outcomes = outcomes
        self.records = records
    }

    var acknowledged: Set<String> { Set(outcomes.filter(\.isAcknowledged).map(\.notificationUUID)) }
    /// Acknowledged notifications without a record.
    var missing: Set<String> { acknowledged.subtracting(records) }
    /// Records that the test never sent.
    var foreign: Set<String> { Set(records).subtracting(outcomes.map(\.notificationUUID)) }
    var duplicates: Int { records.count - Set(records).count }
    var answers: [Load.Outcome.Answer: Int] { Dictionary(grouping: outcomes, by: \.answer).mapValues(\.count) }

    func count(_ status: Int) -> Int { outcomes.count { $0.answer == .status(status) } }
    var unanswered: Int { outcomes.count { $0.answer.isUnanswered } }
    var refused: Int { outcomes.count { $0.answer == .refused } }
    var slowestUnavailable: Duration? { outcomes.filter { $0.answer == .status(503) }.map(\.duration).max() }

    /// Checks the invariants after every fault: no 200 without a record, no unknown record, no 4xx, and a response to
    /// every request.
    ///
    /// - Parameters:
    ///   - mayBreak: whether connections may be lost because the ingress was killed.
    ///   - mayRefuse: whether connections may be refused because no ingress ran for some time.
    func check(_ ingress: (any CustomStringConvertible)? = nil, mayBreak: Bool = false, mayRefuse: Bool = false) {
        let told: Comment = "\(answers); \(ingress.map { "\($0)" } ?? "")"
        #expect(missing == [], told)
        #expect(foreign == [], told)
        #expect(!acknowledged.isEmpty, told)
        let allowed = outcomes.allSatisfy { outcome in
            switch outcome.answer {
            case .status(let status): status == 200 || status == 503
            case .refused: mayRefuse
            case .unanswered: mayBreak
            }
        }
        #expect(allowed, told)
    }

    /// Adds the figures common to all faults.
    func add(to report: inout FaultReport) {
        report.add("sent", outcomes.count - refused)
        report.add("acknowledged", acknowledged.count)
        report.add("records", records.count)
        report.add("missing", missing.count)
        report.add("duplicates", duplicates)
        report.add("503", count(503))
        if unanswered > 0 { report.add("without an answer", unanswered) }
        if refused > 0 { report.add("not connected", refused) }
        report.add("slowest 503", slowestUnavailable)
        let accepted = outcomes.filter(\.isAcknowledged).map(\.duration)
        report.add("p50 of 200", accepted.percentile(50))
        report.add("p99 of 200", accepted.percentile(99))
    }
}

extension [Duration] {
    /// Returns a percentile; `nil` if there are no values.
    func percentile(_ percent: Int) -> Duration? {
        isEmpty ? nil : sorted()[Swift.min(count * percent / 100, count - 1)]
    }
}
