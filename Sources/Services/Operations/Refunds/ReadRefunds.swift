internal import AppStoreModel
internal import Configuration
internal import Kafka
internal import KeyedState
internal import Lifecycle
internal import Records
internal import RefundCases

/// The refund cases of an environment, read from their topic.
struct ReadRefunds {
    /// A case and its winning proposal.
    struct Row: Sendable {
        var refund: RefundCase
        let gap: Int64
        var proposal: StateProposal?

        var rounds: RefundRounds { RefundRounds(refund, gap: gap) }

        /// The answer of the newest round: recorded, or frozen and not sent yet.
        var answer: FrozenAnswer? { rounds.newest.flatMap { $0.answer ?? frozen(for: $0) } }

        /// Returns the winning proposal if it belongs to this round.
        func frozen(for round: RefundRound) -> FrozenAnswer? {
            guard let proposal,
                refund.round(ofProposal: proposal.value, gap: gap) == round.openedAt.millisecondsSince1970
            else { return nil }
            return FrozenAnswer(json: proposal.value)
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

    /// `refunds.round.gap`, in milliseconds.
    let gap: Int64

    private(set) var rows: [String: Row] = [:]
    /// Number of records that are not readable cases, such as those of a newer version.
    private(set) var unreadable = 0

    mutating func take(_ record: KafkaRecord) {
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
        rows[key] = row
    }

    /// Rows with a request or an outcome: a RESCIND_CONSENT alone does not make a case.
    var cases: [Row] { rows.values.filter { !$0.refund.requests.isEmpty || $0.refund.outcome != nil } }

    /// Reads the topic of an environment to its end.
    ///
    /// - Throws: a `StartupError` when the topic does not exist or brokers do not respond.
    static func read(
        _ topic: KafkaTopic, gap: Int64, of admin: KafkaAdmin, with kafka: KafkaConfiguration
    ) async throws -> ReadRefunds {
        let scan = try await TopicScan(topic, of: admin, with: kafka)
        let box = Box(ReadRefunds(gap: gap))
        try await scan.run { record in
            box.refunds.take(record)
            return true
        }
        return box.refunds
    }

    private final class Box {
        var refunds: ReadRefunds

        init(_ refunds: ReadRefunds) { self.refunds = refunds }
    }
}
