internal import AppStoreModel
internal import CommandLine
internal import RefundRules
internal import Story

/// Formats one case as text: the purchase, and each round with its requests, its answer and the result.
enum RefundText {
    static func text(_ row: ReadRefunds.Row) -> String {
        let refund = row.refund
        let transaction = refund.transaction
        var lines: [[String]] = [
            ["app", refund.bundleId.rawValue], ["transaction", refund.transactionId.rawValue],
            ["environment", refund.environment.rawValue], ["status", row.rounds.status.rawValue],
            ["outcome", refund.outcome?.rawValue ?? "none yet"],
        ]
        func add(_ name: String, _ value: String?) {
            if let value { lines.append([name, value]) }
        }
        add("product", transaction?.productId?.rawValue)
        add("type", transaction?.type?.rawValue)
        add("account", transaction?.appAccountToken?.rawValue)
        add("bought", transaction?.purchaseDate.map(PlainText.seconds))
        add("consent rescinded", refund.consentRescindedAt.map(PlainText.seconds))
        for round in row.rounds.all { lines += self.lines(round, row) }
        return PlainText.table(lines.map { $0.map { PlainText.printable($0, maximum: 2_000) } })
    }

    private static func lines(_ round: RefundRound, _ row: ReadRefunds.Row) -> [[String]] {
        var lines: [[String]] = [["round \(round.number)", round.status.rawValue]]
        func add(_ name: String, _ value: String?) {
            if let value { lines.append(["  \(name)", value]) }
        }
        for request in round.requests {
            add(
                request.isOperators ? "opened" : "request",
                "\(PlainText.seconds(request.receivedAt)) \(request.reason?.rawValue ?? "")")
        }
        if round.status == .waiting { add("until", round.answerableUntil.map(PlainText.seconds)) }
        if let answer = round.answer ?? row.frozen(for: round) { lines += self.lines(answer) }
        if let accepted = round.acceptance {
            let attempts = "\(accepted.attempts) attempt\(accepted.attempts == 1 ? "" : "s")"
            add("accepted", "\(PlainText.seconds(accepted.at)) after \(attempts)")
        }
        if let end = round.end { add(end.kind.rawValue, "\(PlainText.seconds(end.at)) \(end.reason)") }
        if round.status == .waiting, let obstacle = row.obstacle {
            add("waits because", "\(PlainText.seconds(obstacle.at)) \(obstacle.reason): \(obstacle.message)")
        }
        if let verdict = round.verdict { add(verdict.kind.rawValue, PlainText.seconds(verdict.signedDate)) }
        if let last = round.lastVerdict, last != round.verdict {
            add(last.kind.rawValue, PlainText.seconds(last.signedDate))
        }
        return lines
    }

    private static func lines(_ answer: FrozenAnswer) -> [[String]] {
        var lines: [[String]] = []
        func add(_ name: String, _ value: String?) {
            if let value { lines.append(["  \(name)", value]) }
        }
        add("decided", "\(PlainText.seconds(answer.decidedAt)) by \(answer.decidedBy ?? answer.source.rawValue)")
        add("consumption by", answer.source.rawValue)
        add("rule", answer.rule)
        add("rules", answer.rules)
        add("answer", answer.outcome)
        add("body", answer.body)
        add("no body", answer.reason)
        add("service said", answer.service)
        for note in answer.notes { add("left out", note) }
        return lines
    }
}
