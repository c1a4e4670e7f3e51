internal import AppStoreModel
internal import AppStoreServerAPI
internal import KeyedState
internal import Records
internal import RefundCases
internal import RefundRules
internal import Telemetry

/// What to answer: consent and consumption from the company's service or the rules, the preference from the rules.
struct RefundDecisions: Sendable {
    enum Decision: Sendable {
        case answer(FrozenAnswer)
        /// The case ends without an answer, although none was frozen.
        case withheld(reason: String)
        /// The transaction that only a shared secret vouched for, as Apple signs it.
        case confirmed(RefundTransaction)
        /// Nothing could be decided: the same is tried later.
        case retry
    }

    /// What becomes of a case about which the company's service does not answer in time.
    enum Fallback: String, Sendable, CaseIterable {
        /// No answer.
        case withhold
        /// As the rules alone say.
        case rules
    }

    let rules: RefundRules
    let apps: Set<BundleId>
    let provider: ConsumptionProvider?
    let fallback: Fallback
    /// The service is asked until so long before the deadline, in milliseconds.
    let fallbackMargin: Int64
    let api: RefundAPI
    let state: KeyedState<RefundsModel>
    let topics: TopicNames
    let metrics: RefundsMetrics
    let log: RateLimitedLogger

    /// - Returns: with what it says about the company's service.
    func answer(to refund: RefundCase, at now: AppStoreInstant) async -> (Decision, ServiceHealth) {
        guard apps.contains(refund.bundleId) else {
            return (.withheld(reason: RefundReason.appNotConfigured), .unknown)
        }
        let facts: RefundFacts
        do {
            if try await isConsentRescinded(refund) {
                return (.withheld(reason: RefundReason.consentRescinded), .unknown)
            }
            if refund.isAmbiguous { return (.withheld(reason: RefundReason.ambiguous), .unknown) }
            if refund.transaction?.isSigned != true { return (await confirm(refund), .unknown) }
            facts = try await self.facts(of: refund)
        } catch {
            log.log(.warning, key: "facts", "a case cannot be read, and is tried again", [LogField(.error, "\(error)")])
            return (.retry, .unknown)
        }
        guard let provider else {
            return (.answer(frozen(facts, rules.decide(facts, nil), .rules, at: now)), .unknown)
        }
        do throws(ProviderFailure) {
            let consumption = try await provider.consumption(of: facts)
            return (.answer(frozen(facts, rules.decide(facts, consumption), .provider, at: now)), .answers)
        } catch {
            return (withoutProvider(refund, facts, error, at: now), error.isRetriable ? .fails() : .answers)
        }
    }

    /// The company's service gave no answer that can be used.
    private func withoutProvider(
        _ refund: RefundCase, _ facts: RefundFacts, _ failure: ProviderFailure, at now: AppStoreInstant
    ) -> Decision {
        metrics.providerFailed()
        log.log(
            .warning, key: "provider", "the provider of consent did not answer",
            [LogField(.bundleId, refund.bundleId.rawValue), LogField(.error, "\(failure)")])
        let limit = refund.deadline?.advanced(byMilliseconds: -fallbackMargin) ?? now
        if failure.isRetriable, now < limit { return .retry }
        guard fallback == .rules else { return .withheld(reason: RefundReason.provider) }
        return .answer(frozen(facts, rules.decide(facts, nil), .fallback, at: now))
    }

    // MARK: Consent and confirmation

    /// Whether the customer of a case has withdrawn the consent (RESCIND_CONSENT).
    func isConsentRescinded(_ refund: RefundCase) async throws -> Bool {
        guard let id = refund.transaction?.appTransactionId else { return false }
        let key = RefundsModel.key(refund.bundleId, TransactionId(id.rawValue))
        let topic = topics.refunds(refund.environment)
        return try await state.reader().read { view in try view.state(of: key, in: topic)?.consentRescindedAt } != nil
    }

    /// A version 1 request names its transaction without a signature: Apple is asked what it signs.
    private func confirm(_ refund: RefundCase) async -> Decision {
        do throws(APIFailure) {
            let payload = try await api.transaction(of: refund)
            guard payload.transactionId == refund.transactionId, let transaction = RefundTransaction(payload) else {
                return .withheld(reason: RefundReason.notConfirmed)
            }
            // Apple asks about these alone.
            guard transaction.type == .consumable || transaction.type == .autoRenewableSubscription else {
                return .withheld(reason: RefundReason.productType)
            }
            return .confirmed(transaction)
        } catch {
            guard AttemptOutcome(error) == .refused else {
                log.log(
                    .warning, key: "confirm", "Apple could not be asked for a transaction",
                    [LogField(.bundleId, refund.bundleId.rawValue), LogField(.error, "\(error)")])
                return .retry
            }
            return .withheld(reason: RefundReason.notConfirmed)
        }
    }

    // MARK: Facts

    private func facts(of refund: RefundCase) async throws -> RefundFacts {
        let earlier = try await earlierRefunds(of: refund)
        let transaction = refund.transaction
        var facts = RefundFacts(
            environment: refund.environment, bundleId: refund.bundleId, transactionId: refund.transactionId,
            requestedAt: refund.openedAt ?? .earliest, isAdvancedCommerce: transaction?.isAdvancedCommerce ?? false)
        facts.originalTransactionId = transaction?.originalTransactionId
        facts.productId = transaction?.productId
        facts.productType = transaction?.type
        facts.price = transaction?.price
        facts.currency = transaction?.currency
        facts.quantity = transaction?.quantity
        facts.purchaseDate = transaction?.purchaseDate
        facts.expiresDate = transaction?.expiresDate
        facts.inAppOwnershipType = transaction?.inAppOwnershipType
        facts.consumptionRequestReason = refund.reason
        facts.appAccountToken = transaction?.appAccountToken
        facts.earlierRefunds = earlier
        return facts
    }

    /// Transactions of the same customer that are refunded: of the account that the app named, or of the Apple Account
    /// in this app.
    private func earlierRefunds(of refund: RefundCase) async throws -> Int64? {
        var entries: [IndexEntry] = []
        if let token = refund.transaction?.appAccountToken {
            entries.append(IndexEntry(RefundsModel.Entry.appAccountToken, token.rawValue))
        }
        if let id = refund.transaction?.appTransactionId {
            entries.append(IndexEntry(RefundsModel.Entry.appTransactionId, id.rawValue))
        }
        guard !entries.isEmpty else { return nil }
        let topic = topics.refunds(refund.environment)
        let sought = entries
        return try await state.reader().read { view in
            var refunded: Set<TransactionId> = []
            for entry in sought {
                for other in try view.states(under: entry, in: topic, atMost: Self.maximumCases)
                where other.isRefunded && other.bundleId == refund.bundleId
                    && other.transactionId != refund.transactionId
                {
                    refunded.insert(other.transactionId)
                }
            }
            return Int64(refunded.count)
        }
    }

    private static let maximumCases = 1_000

    // MARK: The answer

    private func frozen(
        _ facts: RefundFacts, _ decision: RefundDecision, _ source: FrozenAnswer.Source, at now: AppStoreInstant
    ) -> FrozenAnswer {
        func without(_ reason: String) -> FrozenAnswer {
            FrozenAnswer(
                decidedAt: now, source: source, rule: decision.rule, outcome: decision.outcome.rawValue, reason: reason)
        }
        do throws(ConsumptionProblem) {
            let answer = try ConsumptionAnswer(facts, decision)
            return FrozenAnswer(
                decidedAt: now, source: source, rule: decision.rule, outcome: decision.outcome.rawValue,
                form: answer.form.rawValue, body: String(decoding: answer.body, as: UTF8.self),
                notes: answer.notes.map(\.rawValue))
        } catch {
            return without(error.code.rawValue)
        }
    }
}
