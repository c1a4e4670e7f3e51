internal import AppStoreModel
internal import AppStoreServerAPI
internal import Records
internal import RefundRules
internal import Telemetry

/// Decides the answer for a round, based on the company's data on consent, consumption and preference, and on Apple's
/// signed facts. Source: app-store.md 10.6.
struct RefundDecisions: Sendable {
    enum Decision: Sendable {
        case answer(FrozenAnswer)
        /// The round ends without an answer; another attempt would not change that.
        case withheld(reason: String, FrozenAnswer?)
        /// The transaction as signed by Apple. It replaces a transaction authenticated only by the shared secret.
        case confirmed(RefundTransaction)
        /// No decision is possible yet. The round waits and is retried later.
        case unable(RefundObstacle)
    }

    /// The fallback if the company's service does not answer in time.
    enum Fallback: String, Sendable, CaseIterable {
        /// Send no answer.
        case withhold
        /// Decide by the rules alone.
        case rules
    }

    let rules: RefundRules
    let apps: Set<BundleId>
    let provider: (any RefundProvider)?
    let fallback: Fallback
    /// The value of `refunds.fallback.before`, in milliseconds.
    let fallbackMargin: Int64
    let api: any RefundAPI
    let store: any RefundStore
    let metrics: RefundsMetrics
    let log: RateLimitedLogger

    /// - Returns: the decision, and the health of the company's service.
    func answer(
        to refund: RefundCase, _ round: RefundRound, at now: AppStoreInstant
    ) async -> (Decision, ServiceHealth) {
        guard apps.contains(refund.bundleId) else {
            return (.unable(RefundObstacle(RefundReason.appNotConfigured, "add the app to apps")), .unknown)
        }
        if round.isAmbiguous { return (.withheld(reason: RefundReason.ambiguous, nil), .unknown) }
        // Send nothing for an erased person: a withdrawal of consent may have been erased with the preference record.
        if refund.isErased(round) { return (.withheld(reason: RefundReason.erased, nil), .unknown) }
        if refund.transaction?.isSigned != true { return (await confirm(refund), .unknown) }
        do {
            let facts = try await facts(of: refund, round)
            if let problem = ConsumptionAnswer.finalProblem(of: facts) {
                return (.withheld(reason: problem.code.rawValue, nil), .unknown)
            }
            let preference = try await store.preference(of: refund)
            if preference?.isRefusal == true {
                return (.withheld(reason: ConsumptionError.Code.noConsent.rawValue, nil), .unknown)
            }
            return await answer(Question(round: round, facts: facts, preference: preference, now: now))
        } catch {
            return (.unable(obstacle(of: error)), .unknown)
        }
    }

    /// A round and the facts known before the company's service is called.
    private struct Question {
        let round: RefundRound
        let facts: RefundFacts
        let preference: RefundPreference?
        let now: AppStoreInstant
    }

    private func answer(_ question: Question) async -> (Decision, ServiceHealth) {
        guard let provider else { return (decide(question, nil, .rules), .unknown) }
        do throws(ProviderError) {
            return (decide(question, try await provider.consumption(of: question.facts), .provider), .answers)
        } catch {
            report(error, question.facts)
            guard error.isSilence else { return (.unable(error.obstacle), .answers) }
            guard isFallbackDue(question), fallback == .rules else { return (.unable(error.obstacle), .fails()) }
            return (decide(question, nil, .fallback), .fails())
        }
    }

    private func isFallbackDue(_ question: Question) -> Bool {
        guard let until = question.round.answerableUntil else { return true }
        return question.now >= until.advanced(byMilliseconds: -fallbackMargin)
    }

    private func report(_ failure: ProviderError, _ facts: RefundFacts) {
        metrics.providerFailed(failure.code)
        log.log(
            .warning, key: "provider", "the company's service returned no usable response",
            [
                LogField(.transactionId, facts.transactionId.rawValue), LogField(.bundleId, facts.bundleId.rawValue),
                LogField(.error, "\(failure)"),
            ])
    }

    // MARK: Deciding

    private func decide(
        _ question: Question, _ service: ConsumptionFacts?, _ source: FrozenAnswer.Source
    ) -> Decision {
        var decision = rules.decide(
            question.facts, CompanyWords(service: service, preference: question.preference))
        if decision.outcome == .hold, fallback == .rules, isFallbackDue(question) {
            // No decision was made in time, so Apple gets the consumption data without a preference.
            decision.outcome = .noPreference
        }
        var answer = FrozenAnswer(
            through: question.round.through, decidedAt: question.now, source: source, rule: decision.rule,
            outcome: decision.outcome.rawValue)
        answer.decidedBy = decision.source.rawValue
        answer.rules = decision.rulesFingerprint
        answer.service = service.map { String(decoding: $0.json, as: UTF8.self) }
        answer.consentRescindedAt = question.facts.consentRescindedAt
        do throws(ConsumptionError) {
            let body = try ConsumptionAnswer(question.facts, decision)
            answer.form = body.form.rawValue
            answer.body = String(decoding: body.body, as: UTF8.self)
            answer.notes = body.notes.map(\.rawValue)
            return .answer(answer)
        } catch {
            guard error.code.isFinal else { return .unable(RefundObstacle(error.code.rawValue, error.message)) }
            answer.reason = error.code.rawValue
            return .withheld(reason: error.code.rawValue, answer)
        }
    }

    private func obstacle(of error: any Error) -> RefundObstacle {
        if let error = error as? UnreadablePreference {
            return RefundObstacle(RefundReason.preferenceUnreadable, error.description)
        }
        return RefundObstacle(RefundReason.factsUnreadable, "\(error)")
    }

    // MARK: Facts

    private func facts(of refund: RefundCase, _ round: RefundRound) async throws -> RefundFacts {
        var facts = RefundFacts(refund, round)
        let history = try await store.history(of: refund)
        facts.earlierRefunds = history?.refunds
        facts.earlierRequests = history?.requests
        facts.consentRescindedAt = try await store.consentRescindedAt(refund)
        return facts
    }

    /// Requests the signed transaction from Apple, because a version 1 request does not contain one.
    private func confirm(_ refund: RefundCase) async -> Decision {
        do throws(APIError) {
            let payload = try await api.transaction(of: refund)
            guard payload.transactionId == refund.transactionId, let transaction = RefundTransaction(payload) else {
                return .withheld(reason: RefundReason.notConfirmed, nil)
            }
            return .confirmed(transaction)
        } catch {
            log.log(
                .warning, key: "confirm", "failed to request a transaction from Apple",
                [
                    LogField(.transactionId, refund.transactionId.rawValue),
                    LogField(.bundleId, refund.bundleId.rawValue), LogField(.error, "\(error)"),
                ])
            return .unable(error.obstacle)
        }
    }
}

// MARK: Consent check before sending

/// Checks whether the consent behind a frozen answer is still valid.
extension RefundDecisions {
    enum Consent: Sendable {
        case holds
        case withdrawn(reason: String)
        case unknown(RefundObstacle)
    }

    /// The age of a decision, in milliseconds, at which the company's service is called again before sending.
    private static let consentAge: Int64 = 3_600_000

    /// Checks consent before sending. Erasures and recorded withdrawals take effect immediately. The company's service
    /// is called again if the decision is an hour old and was not made by an operator, or if Apple has since reported
    /// that a parent withdrew consent.
    ///
    /// - Parameter isLast: whether the round's deadline is near.
    func consent(
        to answer: FrozenAnswer, _ refund: RefundCase, _ round: RefundRound, at now: AppStoreInstant, isLast: Bool
    ) async -> (Consent, ServiceHealth) {
        if refund.isErased(round) { return (.withdrawn(reason: RefundReason.erased), .unknown) }
        do {
            let preference = try await store.preference(of: refund)
            if preference?.isRefusal == true {
                return (.withdrawn(reason: ConsumptionError.Code.noConsent.rawValue), .unknown)
            }
            let facts = try await facts(of: refund, round)
            let isRescinded = facts.consentRescindedAt.map { $0 > answer.consentRescindedAt ?? .earliest } ?? false
            let isOld = answer.decidedAt.milliseconds(to: now) > Self.consentAge && answer.source != .operator
            if let provider, isRescinded || isOld { return await ask(provider, facts, isRescinded, isLast) }
            guard isRescinded else { return (.holds, .unknown) }
            let isLater = preference?.isConsent(after: facts.consentRescindedAt ?? .latest) ?? false
            return (
                isLater ? .holds : .withdrawn(reason: ConsumptionError.Code.consentRescinded.rawValue), .unknown
            )
        } catch {
            return (.unknown(obstacle(of: error)), .unknown)
        }
    }

    private func ask(
        _ provider: any RefundProvider, _ facts: RefundFacts, _ isRescinded: Bool, _ isLast: Bool
    ) async -> (Consent, ServiceHealth) {
        do throws(ProviderError) {
            let consumption = try await provider.consumption(of: facts)
            guard consumption.customerConsented == true else {
                let code: ConsumptionError.Code = isRescinded ? .consentRescinded : .noConsent
                return (.withdrawn(reason: code.rawValue), .answers)
            }
            guard consumption.outcome != .doNotAnswer else {
                return (.withdrawn(reason: ConsumptionError.Code.doNotAnswer.rawValue), .answers)
            }
            return (.holds, .answers)
        } catch {
            report(error, facts)
            guard error.isSilence else { return (.unknown(error.obstacle), .answers) }
            // If the rules are the fallback, the last attempt may rely on consent that was confirmed earlier in this
            // round and has not been withdrawn since.
            let isEnough = isLast && fallback == .rules && !isRescinded
            return (isEnough ? .holds : .unknown(error.obstacle), .fails())
        }
    }
}
