internal import AppStoreModel
internal import RefundCases

/// One case for people.
enum RefundText {
    static func text(_ row: ReadRefunds.Row) -> String {
        let refund = row.refund
        var lines: [[String]] = [
            ["app", refund.bundleId.rawValue], ["transaction", refund.transactionId.rawValue],
            ["environment", refund.environment.rawValue], ["status", refund.answerStatus.rawValue],
            ["outcome", refund.outcome?.rawValue ?? "none yet"],
        ]
        func add(_ name: String, _ value: String?) {
            if let value { lines.append([name, value]) }
        }
        add("deadline", refund.deadline.map(PlainText.seconds))
        add("product", refund.transaction?.productId?.rawValue)
        add("type", refund.transaction?.type?.rawValue)
        add("account", refund.transaction?.appAccountToken?.rawValue)
        add("bought", refund.transaction?.purchaseDate.map(PlainText.seconds))
        for request in refund.requests.values.sorted(by: { $0.receivedAt < $1.receivedAt }) {
            add("request", "\(PlainText.seconds(request.receivedAt)) \(request.reason?.rawValue ?? "")")
        }
        if let answer = row.answer {
            add("decided", "\(PlainText.seconds(answer.decidedAt)) by \(answer.source.rawValue)")
            add("rule", answer.rule)
            add("answer", answer.outcome)
            add("body", answer.body)
            add("no body", answer.reason)
            for note in answer.notes { add("left out", note) }
        }
        if let accepted = refund.acceptance {
            add(
                "accepted",
                "\(PlainText.seconds(accepted.at)) after \(accepted.attempts) attempt\(accepted.attempts == 1 ? "" : "s")"
            )
        }
        if let end = refund.end { add(end.kind.rawValue, "\(PlainText.seconds(end.at)) \(end.reason)") }
        if let failure = refund.failure { add("failed", "\(PlainText.seconds(failure.at)) \(failure.message)") }
        add("granted", refund.granted.map { PlainText.seconds($0.revocationDate ?? $0.signedDate) })
        add("declined", refund.declined.map { PlainText.seconds($0.signedDate) })
        add("reversed", refund.reversed.map { PlainText.seconds($0.signedDate) })
        return PlainText.table(lines.map { $0.map { PlainText.printable($0, maximum: 2_000) } })
    }
}
