import Synchronization
import TestSupport

/// Runs `sluicectl archive verify --retention` on the hosts of an archive after each change to it, while a test
/// continues.
final class ArchiveAudit: Sendable {
    static let retention = ["--retention", "400d"]

    /// The results of all runs.
    struct Outcome: Sendable {
        var runs = 0
        /// Runs that missed a record that Kafka had acknowledged and no host had archived yet.
        var incomplete = 0
        /// The findings of those runs.
        var missing: Set<String> = []
        /// The numbers of deleted segments that the runs counted.
        var deletedSegments: Set<Int64> = []
        /// Runs that found a change, or did not complete.
        var alarms: [String] = []
    }

    private let hosts: ArchiveHosts
    private let isOver = Mutex(false)
    private let results = Mutex(Outcome())

    init(_ hosts: ArchiveHosts) { self.hosts = hosts }

    /// Ends after the current run.
    func end() { isOver.withLock { $0 = true } }

    /// The results of the runs that have ended.
    var outcome: Outcome { results.withLock { $0 } }

    /// Verifies until ``end()`` is called.
    func run() async throws -> Outcome {
        var outcome = Outcome()
        while !isOver.withLock({ $0 }) {
            try Task.checkCancellation()
            let heads = hosts.heads
            let verified = try await hosts.run(
                outcome.runs % 3, ["verify", "--output", "json"] + Self.retention + hosts.verification)
            outcome.runs += 1
            try add(verified, to: &outcome)
            results.withLock { $0 = outcome }
            _ = await eventually(within: .seconds(10)) { isOver.withLock { $0 } || hosts.heads != heads }
        }
        return outcome
    }

    private func add(_ verified: Finished, to outcome: inout Outcome) throws {
        guard verified.end == .exit(0) || verified.end == .exit(3) else {
            return outcome.alarms.append("\(verified)")
        }
        let report = try verified.json
        if let count = report.integer("deletedSegments") { outcome.deletedSegments.insert(count) }
        guard verified.end == .exit(3) else { return }
        outcome.incomplete += 1
        outcome.missing.formUnion(report.objects("findings").compactMap { $0.text("message") })
    }
}
