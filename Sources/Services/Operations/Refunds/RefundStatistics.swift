internal import AppStoreModel
internal import JSON
internal import RefundCases

/// What came of the answers, by rule and by the customer's reason.
struct RefundStatistics {
    private struct Group: Hashable {
        let rule: String
        let answer: String
        let reason: String
    }

    private struct Counts {
        var cases = 0
        var granted = 0
        var declined = 0
        var reversed = 0
    }

    private var groups: [Group: Counts] = [:]

    init(_ rows: [ReadRefunds.Row]) {
        for row in rows where row.refund.answerStatus != .none {
            let group = Group(
                rule: row.answer?.rule ?? "-",
                answer: row.refund.answerStatus == .accepted
                    ? row.answer?.outcome ?? "-" : row.refund.answerStatus.rawValue,
                reason: row.refund.reason?.rawValue ?? "-")
            groups[group, default: Counts()].cases += 1
            switch row.refund.outcome {
            case .granted: groups[group]?.granted += 1
            case .declined: groups[group]?.declined += 1
            case .reversed: groups[group]?.reversed += 1
            case nil: break
            }
        }
    }

    private var sorted: [(group: Group, counts: Counts)] {
        groups.map { ($0.key, $0.value) }.sorted {
            ($0.0.rule, $0.0.answer, $0.0.reason) < ($1.0.rule, $1.0.answer, $1.0.reason)
        }
    }

    var text: String {
        guard !groups.isEmpty else { return "none\n" }
        let rows = sorted.map { group, counts in
            [
                PlainText.printable(group.rule, maximum: 60), group.answer,
                PlainText.printable(group.reason, maximum: 40), "\(counts.cases)", "\(counts.granted)",
                "\(counts.declined)", "\(counts.reversed)",
                "\(counts.cases - counts.granted - counts.declined - counts.reversed)",
            ]
        }
        return PlainText.table(
            [["RULE", "ANSWER", "REASON", "CASES", "GRANTED", "DECLINED", "REVERSED", "NO OUTCOME"]] + rows)
    }

    var json: [UInt8] {
        let rows = sorted.map { group, counts -> JSONValue in
            [
                "rule": .string(group.rule), "answer": .string(group.answer), "reason": .string(group.reason),
                "cases": .integer(Int64(counts.cases)), "granted": .integer(Int64(counts.granted)),
                "declined": .integer(Int64(counts.declined)), "reversed": .integer(Int64(counts.reversed)),
            ]
        }
        return JSONValue.object([OutputName.groups: .array(rows)]).json
    }
}
