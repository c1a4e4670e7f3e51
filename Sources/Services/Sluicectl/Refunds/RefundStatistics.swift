internal import AppStoreModel
internal import CommandLine
internal import JSON
internal import RefundRules
internal import Story

/// Outcomes of refund rounds: one row for each combination of the requested dimensions.
struct RefundStatistics {
    /// The columns by which rounds are grouped.
    enum Dimension: String, CaseIterable, Sendable {
        case rule, answer, reason, product, currency, month, environment
        /// The reason that a round ended without an accepted answer.
        case end
    }

    private struct Counts {
        var rounds = 0
        var granted = 0
        var declined = 0
        var reversed = 0
        var silent: Int { rounds - granted - declined - reversed }
    }

    private let dimensions: [Dimension]
    private var groups: [[String]: Counts] = [:]

    /// - Parameters:
    ///   - dimensions: the dimensions to group by, in output order.
    ///   - period: the period in which the first request of a counted round was signed.
    init(_ rows: [ReadRefunds.Row], by dimensions: [Dimension], in period: Range<AppStoreInstant>) {
        self.dimensions = dimensions
        for row in rows {
            for round in row.rounds.all where period.contains(round.openedAt) {
                let group = dimensions.map { Self.value($0, round, row) }
                groups[group, default: Counts()].rounds += 1
                switch round.lastVerdict?.kind {
                case .granted: groups[group]?.granted += 1
                case .declined: groups[group]?.declined += 1
                case .reversed: groups[group]?.reversed += 1
                case nil: break
                }
            }
        }
    }

    private static func value(_ dimension: Dimension, _ round: RefundRound, _ row: ReadRefunds.Row) -> String {
        let answer = round.answer ?? row.frozen(for: round)
        switch dimension {
        case .rule: return answer?.rule ?? none
        case .answer: return round.status == .accepted ? answer?.outcome ?? none : round.status.rawValue
        case .reason: return round.reason?.rawValue ?? none
        case .product: return row.refund.transaction?.productId?.rawValue ?? none
        case .currency: return row.refund.transaction?.currency ?? none
        case .month: return String(round.openedAt.description.prefix(7))
        case .environment: return row.refund.environment.rawValue
        case .end: return round.status == .accepted ? none : round.end?.reason ?? none
        }
    }

    private static let none = "-"

    private var sorted: [(group: [String], counts: Counts)] {
        groups.map { ($0.key, $0.value) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
    }

    var text: String {
        guard !groups.isEmpty else { return "none\n" }
        let rows = sorted.map { group, counts in
            group.map { PlainText.printable($0, maximum: 60) }
                + [
                    "\(counts.rounds)", "\(counts.granted)", "\(counts.declined)", "\(counts.reversed)",
                    "\(counts.silent)",
                ]
        }
        let header = dimensions.map { $0.rawValue.uppercased() }
        return PlainText.table([header + ["ROUNDS", "GRANTED", "DECLINED", "REVERSED", "SILENT"]] + rows)
    }

    var json: [UInt8] {
        let rows = sorted.map { group, counts -> JSONValue in
            var object = JSONObject()
            for (dimension, value) in zip(dimensions, group) { object[dimension.rawValue] = .string(value) }
            object["rounds"] = .integer(Int64(counts.rounds))
            object["granted"] = .integer(Int64(counts.granted))
            object["declined"] = .integer(Int64(counts.declined))
            object["reversed"] = .integer(Int64(counts.reversed))
            object["silent"] = .integer(Int64(counts.silent))
            return .object(object)
        }
        return JSONValue.object([OutputName.groups: .array(rows)]).json
    }
}
