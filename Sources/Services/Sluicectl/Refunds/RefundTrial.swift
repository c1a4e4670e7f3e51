internal import AppStoreModel
internal import CommandLine
internal import JSON
internal import RefundRules
internal import Story

/// A trial of rules on the requests in a topic. For each combination of rule and answer, it totals the requests, the
/// amounts, Apple's decisions, and the requests that would be answered differently.
struct RefundTrial {
    private struct Group: Hashable {
        let rule: String
        let answer: String
    }

    private struct Counts {
        var rounds = 0
        var granted = 0
        var declined = 0
        var reversed = 0
        var changed = 0
        /// Amounts in milliunits, by currency.
        var amounts: [String: Int64] = [:]
    }

    private let rules: RefundRules
    /// The current rules to compare with, or nil to compare with the recorded answers.
    private let present: RefundRules?
    private let customers: [String: [ReadRefunds.Row]]
    private var groups: [Group: Counts] = [:]

    /// - Parameter period: the period in which the first request of a counted round was signed.
    init(
        _ rules: RefundRules, against present: RefundRules?, _ rows: [ReadRefunds.Row],
        in period: Range<AppStoreInstant>
    ) {
        self.rules = rules
        self.present = present
        var customers: [String: [ReadRefunds.Row]] = [:]
        for row in rows { for key in Self.keys(row) { customers[key, default: []].append(row) } }
        self.customers = customers
        for row in rows {
            for round in row.rounds.all where period.contains(round.openedAt) && !round.requests.isEmpty {
                add(round, row)
            }
        }
    }

    private static func keys(_ row: ReadRefunds.Row) -> [String] {
        [row.refund.transaction?.appAccountToken?.rawValue, row.refund.transaction?.appTransactionId?.rawValue]
            .compactMap { $0.map { "\(row.refund.bundleId)/\($0)" } }
    }

    private mutating func add(_ round: RefundRound, _ row: ReadRefunds.Row) {
        let facts = facts(round, row)
        let recorded = round.answer ?? row.frozen(for: round)
        let service = recorded?.service.flatMap {
            try? ConsumptionFacts.answer(Array($0.utf8), name: "the recorded answer").facts
        }
        let words = CompanyWords(service: service)
        let decision = rules.decide(facts, words)
        let answer = Self.answer(facts, decision)
        let before = present.map { Self.answer(facts, $0.decide(facts, words)) } ?? Self.recorded(round, recorded)
        let group = Group(rule: decision.rule ?? "default", answer: answer)
        var counts = groups[group] ?? Counts()
        counts.rounds += 1
        if answer != before { counts.changed += 1 }
        if let price = facts.price, let currency = facts.currency {
            let (sum, overflow) = counts.amounts[currency, default: 0].addingReportingOverflow(price)
            counts.amounts[currency] = overflow ? .max : sum
        }
        switch round.lastVerdict?.kind {
        case .granted: counts.granted += 1
        case .declined: counts.declined += 1
        case .reversed: counts.reversed += 1
        case nil: break
        }
        groups[group] = counts
    }

    /// Returns the preference to send, or the reason for sending nothing.
    private static func answer(_ facts: RefundFacts, _ decision: RefundDecision) -> String {
        do throws(ConsumptionError) {
            _ = try ConsumptionAnswer(facts, decision)
            return decision.outcome.rawValue
        } catch {
            return error.code.rawValue
        }
    }

    private static func recorded(_ round: RefundRound, _ answer: FrozenAnswer?) -> String {
        if let answer, answer.body != nil { return answer.outcome }
        return round.end?.reason ?? round.status.rawValue
    }

    /// Returns the facts that the service would have had at the time of the request, without later events.
    private func facts(_ round: RefundRound, _ row: ReadRefunds.Row) -> RefundFacts {
        var facts = RefundFacts(row.refund, round)
        let keys = Self.keys(row)
        guard !keys.isEmpty else { return facts }
        var seen: Set<TransactionId> = [row.refund.transactionId]
        var (refunds, requests) = (Int64(0), Int64(0))
        for other in keys.flatMap({ customers[$0] ?? [] }) where seen.insert(other.refund.transactionId).inserted {
            let earlier = other.refund.verdicts.all.last { $0.signedDate < round.openedAt }
            if earlier.map({ $0.kind == .granted && !$0.isUpgrade }) ?? false { refunds += 1 }
            if other.refund.requests.values.contains(where: { $0.signedDate < round.openedAt }) { requests += 1 }
        }
        facts.earlierRefunds = refunds
        facts.earlierRequests = requests
        return facts
    }

    // MARK: Output

    private var sorted: [(group: Group, counts: Counts)] {
        groups.map { ($0.key, $0.value) }.sorted { ($0.0.rule, $0.0.answer) < ($1.0.rule, $1.0.answer) }
    }

    var text: String {
        guard !groups.isEmpty else { return "none\n" }
        let rows = sorted.map { group, counts in
            let amounts = counts.amounts.sorted { $0.key < $1.key }.map { "\(Self.amount($0.value)) \($0.key)" }
            return [
                PlainText.printable(group.rule, maximum: 60), group.answer, "\(counts.rounds)",
                amounts.isEmpty ? "-" : amounts.joined(separator: ", "), "\(counts.granted)", "\(counts.declined)",
                "\(counts.reversed)", "\(counts.rounds - counts.granted - counts.declined - counts.reversed)",
                "\(counts.changed)",
            ]
        }
        return PlainText.table(
            [["RULE", "ANSWER", "ROUNDS", "AMOUNT", "GRANTED", "DECLINED", "REVERSED", "SILENT", "CHANGED"]] + rows)
    }

    /// Formats an amount in currency units, truncated to two decimal places.
    private static func amount(_ milliunits: Int64) -> String {
        let cents = (milliunits % 1_000).magnitude / 10
        return "\(milliunits / 1_000).\(cents < 10 ? "0" : "")\(cents)"
    }

    var json: [UInt8] {
        let rows = sorted.map { group, counts -> JSONValue in
            var amounts = JSONObject()
            for (currency, amount) in counts.amounts.sorted(by: { $0.key < $1.key }) {
                amounts[currency] = .integer(amount)
            }
            return [
                "rule": .string(group.rule), "answer": .string(group.answer),
                "rounds": .integer(Int64(counts.rounds)), "amounts": .object(amounts),
                "granted": .integer(Int64(counts.granted)), "declined": .integer(Int64(counts.declined)),
                "reversed": .integer(Int64(counts.reversed)), "changed": .integer(Int64(counts.changed)),
            ]
        }
        return JSONValue.object(["rules": .string(rules.fingerprint), OutputName.groups: .array(rows)]).json
    }
}
