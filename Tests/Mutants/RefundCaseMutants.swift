// What becomes of a refund case: which request waits and until when, what was said later, when an answer is sent, repeated
// or withheld.

private let module = "AppStore/RefundCases/"
private let service = "Services/Refunds/"
private let joins = "RefundCaseTests|RefundCaseJoinTests"
private let statement = MutatedFile(.refund, "case", module + "RefundStatement.swift", suites: joins)
private let request = MutatedFile(.refund, "case", module + "RefundRequest.swift", suites: joins)
private let transaction = MutatedFile(.refund, "case", module + "RefundTransaction.swift", suites: joins)
private let theCase = MutatedFile(.refund, "case", module + "RefundCase.swift", suites: joins)
private let state = MutatedFile(.refund, "case", module + "RefundCase+State.swift", suites: joins)
private let json = MutatedFile(.refund, "case", module + "RefundCase+JSON.swift", suites: joins)
private let reading = MutatedFile(.refund, "case", module + "RefundReading.swift", suites: joins)
private let decisions = MutatedFile(
    .refund, "answering", service + "RefundDecisions.swift",
    suites: "AnsweringTests|ProviderFallbackTests|LegacyRequestTests")
private let work = MutatedFile(.refund, "answering", service + "RefundWork.swift", suites: "AnsweringTests")
private let failure = MutatedFile(
    .refund, "answering", "AppStore/AppStoreServerAPI/Failures/APIFailure+Meaning.swift", suites: "AttemptOutcomeTests")
private let legacyRequest = MutatedFile(.refund, "case", module + "LegacyRequest.swift", suites: joins)
private let pause = MutatedFile(
    .refund, "answering", "AppStore/AppStoreServerAPI/Pauses/ServicePause.swift", suites: "ServicePauseTests")
private let schedule = MutatedFile(
    .refund, "answering", service + "RefundSchedule.swift", suites: "RefundScheduleTests")

enum RefundCaseMutants {
    static let all = cases + answering

    private static let cases: [Mutant] = [
        statement.mutant("case-later", "one.rank.lexicographicallyPrecedes(other.rank)", "false"),
        statement.mutant("case-tie", "one.text.lexicographicallyPrecedes(other.text)", "false"),
        request.mutant("case-first-receipt", "-receivedAt.millisecondsSince1970", "receivedAt.millisecondsSince1970"),
        transaction.mutant("case-trust", "isSigned ? 1 : 0", "1"),
        theCase.mutant("case-newest-requests", "$0.signedDate > $1.signedDate", "$0.signedDate < $1.signedDate"),
        theCase.mutant("case-consent", "max(consentRescindedAt ?? moment, moment)", "moment"),
        state.mutant("case-closed", "request.signedDate > $0", "true"),
        state.mutant("case-verdict", "next.verdict.signedDate >= $0.verdict.signedDate", "true"),
        state.mutant("case-verdict-trust", "request.isSigned ? lastSigned : last", "last"),
        state.mutant("case-deadline", "min(first, newest)", "first"),
        state.mutant("case-answered-again", "acceptance.at >= start", "true"),
        state.mutant("case-kept", "answerStatus != .waiting", "true"),
        json.mutant("case-newer-format", "format <= Self.formatVersion", "true"),
        reading.mutant(
            "case-environment",
            "[notification.data?.environment, payload.environment].allSatisfy({ $0 == nil || $0 == environment })",
            "true"),
        reading.mutant("case-bounded", "found.isBounded && found.bundleId.isBounded", "true"),
    ]

    private static let answering: [Mutant] = [
        decisions.mutant("answer-app", "apps.contains(refund.bundleId)", "true"),
        decisions.mutant(
            "answer-consent", "try await isConsentRescinded(refund)", after: "func answer(to refund", "false"),
        decisions.mutant("answer-unsigned", "refund.transaction?.isSigned != true", "false"),
        decisions.mutant("answer-until", "now < limit", "true"),
        decisions.mutant("answer-fallback", "fallback == .rules", "true"),
        decisions.mutant("answer-confirmed", "payload.transactionId == refund.transactionId", "true"),
        work.mutant(
            "send-consent", "try await decisions.isConsentRescinded(refund)", "false"),
        failure.mutant("send-refused", "code != nil || status == 400", "true"),
        decisions.mutant("answer-ambiguous", "refund.isAmbiguous", "false"),
        decisions.mutant(
            "answer-type", "transaction.type == .consumable || transaction.type == .autoRenewableSubscription", "true"),
        legacyRequest.mutant("request-one", "candidates != [transactionId.rawValue]", "candidates.isEmpty"),
        pause.mutant("pause-down", "failures >= Self.limit", "false"),
        schedule.mutant("schedule-ended", "!ended.contains(key)", "true"),
        schedule.mutant("schedule-delayed", "isOver || (retry?.at ?? 0) <= now", "true"),
        schedule.mutant("schedule-operator", "candidate.isFrozen && $0.isDecision", "false"),
        schedule.mutant("schedule-concurrency", "sending.count < concurrency", "true"),
        schedule.mutant("schedule-last", "now >= candidate.deadline - Self.margin", "false"),
        schedule.mutant("schedule-down", "isLast || (!pause.isDown && pause.isOver(at: now))", "true"),
        schedule.mutant("schedule-blocked", "pauses[$0.scope]?.isDown ?? false", "false"),
        schedule.mutant("schedule-decisions", "deciding.count < Self.decisionsAtOnce", "true"),
        schedule.mutant("schedule-fallback", "now < candidate.deadline - fallbackMargin", "true"),
        schedule.mutant("schedule-provider", "deciding.isEmpty && provider.isOver(at: now)", "true"),
    ]
}
