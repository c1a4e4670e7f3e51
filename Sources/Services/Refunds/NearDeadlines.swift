/// The waiting rounds with approaching deadlines. Each is reported once per threshold. A value type that uses neither a
/// clock nor Kafka.
struct NearDeadlines {
    /// The remaining times at which a round is reported, in milliseconds, in descending order. The first one is the
    /// threshold of the SluiceRefundDeadline alert.
    static let thresholds: [Int64] = [7_200_000, 900_000]

    private struct Round: Hashable {
        let key: RefundSchedule.CaseKey
        let deadline: Int64
    }

    /// The lowest threshold reported for each round.
    private var reported: [Round: Int64] = [:]

    /// Returns the candidates that have passed another threshold since the last call. Rounds that are not among the
    /// candidates are forgotten.
    ///
    /// - Parameter now: milliseconds since 1970.
    mutating func due(
        _ candidates: [RefundSchedule.Candidate], at now: Int64
    ) -> [RefundSchedule.Candidate] {
        var known: [Round: Int64] = [:]
        let due = candidates.filter { candidate in
            let round = Round(key: candidate.key, deadline: candidate.deadline)
            known[round] = reported[round]
            let (left, isOverflow) = candidate.deadline.subtractingReportingOverflow(now)
            guard !isOverflow, now < candidate.until, let passed = Self.thresholds.last(where: { left <= $0 }),
                passed < reported[round] ?? .max
            else { return false }
            known[round] = passed
            return true
        }
        reported = known
        return due
    }
}
