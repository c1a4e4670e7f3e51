// Refund cases: pending requests and their deadlines, later statements, and the decision to send, repeat or withhold an
// answer.

private let module = "AppStore/RefundRules/Cases/"
private let service = "Services/Refunds/"
private let joins = "RefundCaseTests|RefundCaseJoinTests|RefundCaseVersion1Tests|RefundRoundsTests"
private let part = MutatedFile(.refund, "case", module + "CasePart.swift", suites: joins)
private let dated = MutatedFile(.refund, "case", module + "DatedParts.swift", suites: joins)
private let request = MutatedFile(.refund, "case", module + "RefundRequest.swift", suites: joins)
private let verdict = MutatedFile(.refund, "case", module + "RefundVerdict.swift", suites: joins)
private let transaction = MutatedFile(.refund, "case", module + "RefundTransaction.swift", suites: joins)
private let theCase = MutatedFile(.refund, "case", module + "RefundCase.swift", suites: joins)
private let state = MutatedFile(.refund, "case", module + "RefundCase+State.swift", suites: joins)
private let version1 = MutatedFile(.refund, "case", module + "RefundCase+Version1.swift", suites: joins)
private let rounds = MutatedFile(.refund, "round", module + "RefundRounds.swift", suites: joins)
private let round = MutatedFile(.refund, "round", module + "RefundRound.swift", suites: joins)
private let json = MutatedFile(.refund, "case", module + "RefundCase+JSON.swift", suites: joins)
private let reading = MutatedFile(.refund, "case", module + "RefundReading.swift", suites: joins)
private let model = MutatedFile(.refund, "round", service + "RefundsModel.swift", suites: "RefundStoryTests")
private let decisions = MutatedFile(
    .refund, "answering", service + "RefundDecisions.swift",
    suites: "RefundStoryTests|AnsweringTests|ProviderFallbackTests|LegacyRequestTests|RoundTests")
private let work = MutatedFile(
    .refund, "answering", service + "RefundWork.swift", suites: "RefundStoryTests|AnsweringTests|RoundTests")
private let failure = MutatedFile(
    .api, "answering", "AppStore/AppStoreServerAPI/Failures/APIError+Meaning.swift",
    suites: "ConsumptionRefusalTests")
private let legacyRequest = MutatedFile(.refund, "case", module + "LegacyRequest.swift", suites: joins)
private let pause = MutatedFile(
    .refund, "answering", "AppStore/AppStoreServerAPI/Pauses/ServicePause.swift", suites: "ServicePauseTests")
private let schedule = MutatedFile(
    .refund, "answering", service + "RefundSchedule.swift", suites: "RefundScheduleTests")

enum RefundCaseMutants {
    static let all = cases + ofRounds + answering

    private static let cases: [Mutant] = [
        part.mutant("case-greater", "one.rank.lexicographicallyPrecedes(other.rank)", "false"),
        part.mutant("case-tie", "one.text.lexicographicallyPrecedes(other.text)", "false"),
        dated.mutant("case-dates", "all[index].date == part.date", "false"),
        request.mutant(
            "case-first-receipt", "-receivedAt.millisecondsSince1970", "receivedAt.millisecondsSince1970"),
        request.mutant("case-read-in-time", "isLate ? 0 : 1", "0"),
        transaction.mutant("case-trust", "isSigned ? 1 : 0", "1"),
        theCase.mutant("case-newest-requests", "$0.signedDate > $1.signedDate", "$0.signedDate < $1.signedDate"),
        theCase.mutant("case-consent", "max(consentRescindedAt ?? moment, moment)", "moment"),
        theCase.mutant("case-erased", "known.signedDate <= erasedAt", "false"),
        verdict.mutant("verdict-seats", "transaction.revocationDate != nil", "true"),
        verdict.mutant("verdict-assigned", "transaction.revocationType != .assignmentRevoke", "true"),
        verdict.mutant("verdict-bundle", "transaction.revocationReason?.isKnown ?? true", "true"),
        state.mutant("verdict-upgrade", "!$0.isUpgrade", "true"),
        state.mutant("verdict-signed", "verdicts.all.last(where: \\.isSigned) ?? verdicts.newest", "verdicts.newest"),
        version1.mutant("version-1-seats", "kind != .granted || verdict.revocationDate != nil", "true"),
        json.mutant("case-newer-format", "format <= Self.formatVersion", "true"),
        reading.mutant(
            "case-environment",
            "[notification.data?.environment, payload.environment].allSatisfy({ $0 == nil || $0 == environment })",
            "true"),
        reading.mutant("case-bounded", "found.isBounded && found.bundleId.isBounded", "true"),
        reading.mutant(
            "case-late", "receivedAt.milliseconds(to: now) >= RefundRound.answerTime", "false"),
        legacyRequest.mutant("request-one", "candidates != [transactionId.rawValue]", "candidates.isEmpty"),
    ]

    private static let ofRounds: [Mutant] = [
        rounds.mutant("round-gap", "last.date.milliseconds(to: point.date) > gap", "false"),
        rounds.mutant(
            "round-verdict", "last.date <= $0.signedDate && $0.signedDate <= point.date && last.isEnded(by: $0)",
            "false"),
        rounds.mutant("round-end", "last.date <= $0.through && $0.through < point.date", "false"),
        rounds.mutant(
            "round-end-of-neighbour", "last.date <= $0.through && $0.through < point.date", "$0.through < point.date"),
        rounds.mutant("round-ghosts", "answered.subtracting(known)", "Set<AppStoreInstant>()"),
        rounds.mutant("round-unsigned", "verdict.isSigned || request.map { !$0.isSigned } ?? false", "true"),
        rounds.mutant("round-closed", "verdict.signedDate >= last.date", "false"),
        round.mutant("round-deadline", "min($0.signedDate, $0.receivedAt)", "$0.receivedAt"),
        round.mutant(
            "round-until", "requests.filter(\\.isTimely).map(\\.receivedAt).max()", "requests.map(\\.receivedAt).max()"),
        round.mutant("round-accepted-first", "acceptance != nil", "false"),
        model.mutant("round-of-proposal", "state.round(ofProposal: proposal, gap: gap)", "0"),
    ]

    private static let answering: [Mutant] = [
        decisions.mutant("answer-app", "apps.contains(refund.bundleId)", "true"),
        decisions.mutant("answer-unsigned", "refund.transaction?.isSigned != true", "false"),
        decisions.mutant("answer-ambiguous", "round.isAmbiguous", "false"),
        decisions.mutant(
            "answer-erased", "refund.isErased(round)", after: "have been erased with the preference", "false"),
        decisions.mutant(
            "answer-erased-frozen", "refund.isErased(round)",
            after: "at now: AppStoreInstant, isLast: Bool\n    ) async -> (Consent, ServiceHealth) {", "false"),
        decisions.mutant("answer-confirmed", "payload.transactionId == refund.transactionId", "true"),
        decisions.mutant(
            "answer-withdrawn", "preference?.isRefusal == true",
            after:
                "return (.withheld(reason: problem.code.rawValue, nil), .unknown)\n            }\n            let preference = try await store.preference(of: refund)\n            if ",
            "false"),
        decisions.mutant(
            "answer-silence", "error.isSilence", after: "report(error, question.facts)\n            guard ", "true"),
        decisions.mutant(
            "answer-fallback", "fallback == .rules", after: "guard isFallbackDue(question), ", "true"),
        decisions.mutant("answer-final", "error.code.isFinal", "true"),
        decisions.mutant("send-old", "answer.decidedAt.milliseconds(to: now) > Self.consentAge", "false"),
        decisions.mutant(
            "send-rescinded", "facts.consentRescindedAt.map { $0 > answer.consentRescindedAt ?? .earliest } ?? false",
            "false"),
        decisions.mutant("send-enough", "isLast && fallback == .rules && !isRescinded", "true"),
        work.without(
            "send-consent",
            "try await end(refund, round, .withheld, reason, answer)\n            return (.done, .unknown)",
            after: "case .withdrawn(let reason):", instead: "break"),
        work.mutant("send-refused", "failure.isFinalForConsumption", "false"),
        work.mutant("end-too-late", "round.isTooLate", "false"),
        failure.mutant(
            "refused-codes",
            "APIErrorCode.ofRefusedConsumption.contains(code) || code.isOfRefusedRequest && !code.isKnown", "true"),
        failure.mutant("refused-codes-of-400", "(4_000_000...4_009_999).contains(rawValue)", "true"),
        failure.mutant("refused-later-code", "code.isOfRefusedRequest && !code.isKnown", "false"),
        failure.mutant("missing-is-unknown", "failure.code == .transactionIdNotFound", "false"),
        pause.mutant("pause-down", "failures >= Self.limit", "false"),
        schedule.mutant("schedule-ended", "!ended.contains(key)", "true"),
        schedule.mutant("schedule-delayed", "retry.map({ dueAt($0, candidate) <= now }) ?? true", "true"),
        schedule.mutant("schedule-operator", "candidate.isFrozen && $0.isDecision", "false"),
        schedule.mutant("schedule-concurrency", "sending.count < concurrency", "true"),
        schedule.mutant("schedule-last", "now >= candidate.until - Self.margin", "false"),
        schedule.mutant("schedule-last-mark", "$0 > retry.triedAt", "false"),
        schedule.mutant("schedule-probe", "!pause.isDown || !sending.values.contains { $0.scope == scope }", "true"),
        schedule.mutant(
            "schedule-pause", "pause.isOver(at: now)", after: "guard let pause = pauses[scope] else { return true }",
            "true"
        ),
        schedule.mutant(
            "schedule-probe-last", "isOtherProbe", after: "if isProbe != isOtherProbe { return ", "isProbe"),
        schedule.mutant(
            "schedule-production", "first == second ? one.deadline < other.deadline : first",
            "one.deadline < other.deadline"),
        schedule.mutant("schedule-window", "busy + concurrency + Self.lookAhead", "Self.lookAhead"),
        schedule.mutant("schedule-decisions", "deciding.count < Self.decisionsAtOnce", "true"),
        schedule.mutant("schedule-fallback", "now < candidate.until - fallbackMargin", "true"),
        schedule.mutant("schedule-provider", "deciding.isEmpty && provider.isOver(at: now)", "true"),
    ]
}
