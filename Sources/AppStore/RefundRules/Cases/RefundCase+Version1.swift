internal import AppStoreModel
internal import JSON

/// Format version 1, in which a case has a single answer, a single end, and one decision of each kind.
extension RefundCase {
    mutating func readVersion1(_ fields: inout FieldReader) {
        if let element = fields.element("answer"), var answer = FrozenAnswer(element) {
            answer.through = through(of: answer)
            insert(answer)
        }
        if let element = fields.element("accepted") {
            var members = FieldReader(element)
            if let at = members.instant("at") {
                insert(
                    AnswerAcceptance(
                        through: newestDate(receivedUntil: at), at: at, attempts: members.int64("attempts") ?? 0))
            }
        }
        if let element = fields.element("end") {
            var members = FieldReader(element)
            if let at = members.instant("at"), let kind = members.string("kind").flatMap(AnswerEnd.Kind.init(rawValue:))
            {
                insert(
                    AnswerEnd(
                        kind, through: newestDate(receivedUntil: at), at: at, reason: members.string("reason") ?? ""))
            }
        }
        if let element = fields.element("failure") {
            var members = FieldReader(element)
            if let at = members.instant("at") {
                obstacle = AnswerObstacle(
                    through: newestDate(receivedUntil: at), at: at, reason: RefundReason.apiUnavailable,
                    status: members.int32("status"), message: members.string("message") ?? "")
            }
        }
        for kind in RefundCaseOutcome.allCases {
            guard let element = fields.element(kind.version1Name) else { continue }
            var members = FieldReader(element)
            guard let verdict = RefundVerdict(kind, &members), kind != .granted || verdict.revocationDate != nil else {
                // A granted refund without a revocationDate is a seat refund rather than a decision on the transaction.
                continue
            }
            insert(verdict)
        }
    }
}

extension RefundCaseOutcome {
    fileprivate var version1Name: StaticString {
        switch self {
        case .declined: "declined"
        case .granted: "granted"
        case .reversed: "reversed"
        }
    }
}
