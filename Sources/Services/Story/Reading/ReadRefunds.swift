internal import AppStoreModel
package import KafkaModel
package import KeyedState
package import RefundRules

/// The refund cases for an environment, as read from their topic.
package struct ReadRefunds {
    /// A case and its winning proposal.
    package struct Row: Sendable {
        package var refund: RefundCase
        package let gap: Int64
        package var proposal: StateProposal?
        /// The position of the case's last record, such as `appstore.refunds.production/3@17`.
        package var position: String?

        package var rounds: RefundRounds { RefundRounds(refund, gap: gap) }

        /// The answer for the newest round: either recorded, or frozen but not sent yet.
        package var answer: FrozenAnswer? { rounds.newest.flatMap { $0.answer ?? frozen(for: $0) } }

        /// Returns the answer in the winning proposal, or nil if the proposal does not belong to this round.
        package func frozen(for round: RefundRound) -> FrozenAnswer? {
            guard let proposal,
                refund.round(ofProposal: proposal.value, gap: gap) == round.openedAt.millisecondsSince1970
            else { return nil }
            return FrozenAnswer(json: proposal.value)
        }

        /// The reason that the waiting round has not been answered yet, or nil if none is recorded.
        package var obstacle: AnswerObstacle? {
            guard let round = rounds.waiting, let obstacle = refund.obstacle else { return nil }
            return obstacle.through >= round.openedAt ? obstacle : nil
        }

        mutating func add(_ other: StateProposal) {
            guard let winner = proposal else {
                proposal = other
                return
            }
            let (round, winning) = (order(other), order(winner))
            if round > winning || round == winning && other.offset < winner.offset { proposal = other }
        }

        private func order(_ proposal: StateProposal) -> Int64 { refund.round(ofProposal: proposal.value, gap: gap) }
    }

    /// The value of `refunds.round.gap`, in milliseconds.
    package let gap: Int64

    package private(set) var rows: [String: Row] = [:]
    /// The number of unreadable records, such as those written by a newer version.
    package private(set) var unreadable = 0

    /// - Parameter gap: the value of `refunds.round.gap`, in milliseconds.
    package init(gap: Int64) { self.gap = gap }

    package mutating func take(_ record: KafkaRecord) {
        guard let key = record.key.map({ String(decoding: $0, as: UTF8.self) }) else {
            unreadable += 1
            return
        }
        guard let value = record.value else {
            rows[key] = nil
            return
        }
        guard let refund = try? RefundCase(json: value) else {
            unreadable += 1
            return
        }
        var row = rows[key] ?? Row(refund: refund, gap: gap)
        row.refund.merge(refund)
        if let proposal = StateProposal(record) { row.add(proposal) }
        row.position = StoryNotification.position(record)
        rows[key] = row
    }

    /// Rows with a request or an outcome. A RESCIND_CONSENT alone does not make a case.
    package var cases: [Row] { rows.values.filter { !$0.refund.requests.isEmpty || $0.refund.outcome != nil } }
}
