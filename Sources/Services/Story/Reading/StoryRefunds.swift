internal import AppStoreModel
internal import JSON
internal import RefundRules

/// Creates refund case events: Apple's requests, the answers sent to Apple, and the outcomes.
enum StoryRefunds {
    static func entries(_ row: ReadRefunds.Row) -> [StoryEntry] {
        let refund = row.refund
        let purchase = refund.transaction?.originalTransactionId.map { "\(refund.bundleId)/\($0)" }
        var entries: [StoryEntry] = []
        for round in row.rounds.all { entries += self.entries(round, row) }
        for verdict in refund.verdicts.all { entries.append(entry(verdict)) }
        if let erasedAt = refund.erasedAt {
            entries.append(StoryEntry(at: erasedAt, .erased, "refund case erased: everything up to this moment"))
        }
        return entries.map { entry in
            var entry = entry
            entry.purchase = purchase
            entry.fields.add(StoryName.transactionId, refund.transactionId.rawValue)
            entry.fields.add(StoryName.position, row.position)
            return entry
        }
    }

    private static func entries(_ round: RefundRound, _ row: ReadRefunds.Row) -> [StoryEntry] {
        var entries = round.requests.map { entry($0, of: round) }
        let number = StoryField(StoryName.round, .integer(Int64(round.number)))
        if let answer = round.answer ?? row.frozen(for: round) {
            entries.append(entry(answer, of: round, wasSent: round.acceptance != nil))
        }
        if let accepted = round.acceptance {
            entries.append(
                StoryEntry(
                    at: accepted.at, .refundAnswered, "Apple accepted the answer for round \(round.number)",
                    fields: [number, StoryField(StoryName.attempts, .integer(Int64(accepted.attempts)))]))
        }
        if let end = round.end {
            entries.append(
                StoryEntry(
                    at: end.at, .refundEnded, "round \(round.number) ended without an answer: \(end.kind.rawValue)",
                    fields: [number, StoryField(StoryName.reason, .string(end.reason))]))
        }
        if let obstacle = row.obstacle, row.rounds.waiting?.number == round.number {
            entries.append(
                StoryEntry(
                    at: obstacle.at, .refundWaiting, "round \(round.number) is waiting: \(obstacle.reason)",
                    fields: [number, StoryField(StoryName.message, .string(obstacle.message))]))
        }
        return entries
    }

    private static func entry(_ request: RefundRequest, of round: RefundRound) -> StoryEntry {
        let uuid = request.notificationUUID.rawValue.lowercased()
        var fields: [StoryField] = []
        fields.add(StoryName.round, Int64(round.number))
        fields.add(StoryName.answerStatus, round.status.rawValue)
        fields.add(StoryName.reason, request.reason?.rawValue)
        fields.add(StoryName.signedDate, request.signedDate)
        fields.add(StoryName.notificationUUID, uuid)
        fields.add(StoryName.answerable, round.answerableUntil)
        let who = request.isOperators ? "an operator opened" : "Apple asked about a refund:"
        return StoryEntry(
            at: request.receivedAt, .refundRequested, "\(who) round \(round.number), now \(round.status.rawValue)",
            notificationUUID: uuid, fields: fields)
    }

    private static func entry(_ answer: FrozenAnswer, of round: RefundRound, wasSent: Bool) -> StoryEntry {
        var fields: [StoryField] = []
        fields.add(StoryName.round, Int64(round.number))
        fields.add(StoryName.outcome, answer.outcome)
        fields.add(StoryName.source, answer.decidedBy ?? answer.source.rawValue)
        fields.add(StoryName.rule, answer.rule)
        fields.add(StoryName.reason, answer.reason)
        if !answer.notes.isEmpty {
            fields.append(StoryField(StoryName.notes, .array(answer.notes.map { .string($0) })))
        }
        fields.add(StoryName.body, answer.body, isPersonal: true)
        fields.add(StoryName.service, answer.service, isPersonal: true)
        let told = answer.body == nil ? "to tell Apple nothing" : "to tell Apple \(answer.outcome)"
        return StoryEntry(
            at: answer.decidedAt, .refundDecided,
            "round \(round.number): decided \(told)" + (wasSent ? "" : ", not sent"),
            fields: fields)
    }

    private static func entry(_ verdict: RefundVerdict) -> StoryEntry {
        StoryEntry(
            at: verdict.signedDate, .refundOutcome, "Apple's decision: \(verdict.kind.rawValue)",
            fields: [StoryField(StoryName.outcome, .string(verdict.kind.rawValue))])
    }
}
