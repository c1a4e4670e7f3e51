internal import AppStoreModel
internal import AppStoreServerAPI
internal import Kafka
internal import KeyedState
internal import Records
internal import RefundCases
internal import RefundRules
internal import Telemetry
internal import Time

/// What is done about one case: its answer is decided and frozen, sent, and what came of that recorded.
///
/// Nothing is sent before its bytes stand in the log, so that whoever sends them again sends the same.
struct RefundWork: Sendable {
    enum Result: Sendable {
        case done
        /// Nothing was recorded: the same is tried later.
        case retry
    }

    let state: KeyedState<RefundsModel>
    let topics: TopicNames
    let decisions: RefundDecisions
    let api: RefundAPI
    let clocks: Clocks
    let metrics: RefundsMetrics
    let log: RateLimitedLogger
    /// Before what could not be recorded is recorded again.
    let pause: @Sendable () async throws -> Void

    private var now: AppStoreInstant {
        AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
    }

    // MARK: Deciding

    /// Decides the answer of a case that has none, and freezes it; or records that its time is over.
    ///
    /// - Returns: with what it says about the company's service.
    func decide(_ refund: RefundCase, isOver: Bool) async -> (Result, ServiceHealth) {
        if isOver { return (await attempt { try await miss(refund) }, .unknown) }
        let (decision, health) = await decisions.answer(to: refund, at: now)
        return (await attempt { try await carryOut(decision, refund) }, health)
    }

    private func carryOut(_ decision: RefundDecisions.Decision, _ refund: RefundCase) async throws -> Result {
        switch decision {
        case .retry: return .retry
        case .withheld(let reason): return try await end(refund, .withheld, reason)
        case .confirmed(let transaction):
            try await record(refund) { $0.transaction = transaction }
            return .done
        case .answer(let answer):
            let standing = try await state.propose(answer.json, for: identity(of: refund), in: input(of: refund))
            if standing.isOwn {
                log.log(
                    .info, key: "frozen", "an answer was frozen",
                    fields(refund) + [
                        LogField(.answer, answer.outcome), LogField(.rule, answer.rule ?? "none"),
                    ])
            }
            return .done
        }
    }

    private func attempt(_ body: () async throws -> Result) async -> Result {
        do {
            return try await body()
        } catch {
            failed(error)
            return .retry
        }
    }

    private func miss(_ refund: RefundCase) async throws -> Result {
        let opened = refund.openedAt?.millisecondsSince1970 ?? 0
        let deadline = refund.deadline?.millisecondsSince1970 ?? 0
        // Received when its time was over already, such as what a new group reads first.
        let reason = opened >= deadline ? RefundReason.receivedTooLate : RefundReason.noAnswerAccepted
        return try await end(refund, .missed, reason)
    }

    // MARK: Sending

    /// Sends the answer that stands.
    ///
    /// - Parameters:
    ///   - standing: the proposal that won.
    ///   - attempts: which attempt of this member this is.
    ///   - isLast: its time is nearly over.
    /// - Returns: with what it says about the App Store Server API.
    func send(
        _ refund: RefundCase, standing: [UInt8], attempts: Int, isLast: Bool
    ) async -> (Result, ServiceHealth) {
        do {
            guard let answer = FrozenAnswer(json: standing) else {
                return (try await end(refund, .withheld, RefundReason.invalidAnswer), .unknown)
            }
            guard let body = answer.body, let form = answer.form else {
                return (
                    try await end(refund, .withheld, answer.reason ?? RefundReason.rules, answer: answer), .unknown
                )
            }
            // Consent can be withdrawn after the answer was frozen.
            if try await decisions.isConsentRescinded(refund) {
                return (try await end(refund, .withheld, RefundReason.consentRescinded, answer: answer), .unknown)
            }
            do {
                try await api.send(Array(body.utf8), form: form, for: refund, isLast: isLast)
            } catch {
                return (try await failed(refund, answer, error, attempts: attempts), ServiceHealth(error))
            }
            try await accepted(refund, answer, attempts: attempts)
            return (.done, .answers)
        } catch {
            failed(error)
            return (.retry, .unknown)
        }
    }

    private func accepted(_ refund: RefundCase, _ answer: FrozenAnswer, attempts: Int) async throws {
        metrics.attempted(.accepted)
        let accepted = now
        while true {
            do {
                try await record(refund) {
                    $0.answer = answer
                    $0.acceptance = AnswerAcceptance(at: accepted, attempts: Int64(attempts))
                }
                break
            } catch {
                // Apple has it: it is not sent once more because Kafka does not answer.
                try Task.checkCancellation()
                failed(error)
                try await pause()
            }
        }
        let opened = refund.openedAt ?? accepted
        metrics.accepted(answer, milliseconds: opened.milliseconds(to: accepted))
        log.log(
            .info, key: "accepted", "Apple accepted an answer",
            fields(refund) + [LogField(.answer, answer.outcome), LogField(.attempts, attempts)])
    }

    /// Whether the App Store Server API answers for an app.
    func probe(_ scope: APIScope) async -> ServiceHealth { await api.probe(scope) }

    private func failed(
        _ refund: RefundCase, _ answer: FrozenAnswer, _ failure: APIFailure, attempts: Int
    ) async throws -> Result {
        guard failure.kind != .cancelled else { return .retry }
        let outcome = AttemptOutcome(failure)
        metrics.attempted(outcome)
        log.log(
            outcome == .unauthorized ? .error : .warning, key: outcome.rawValue, "an answer was not accepted",
            fields(refund) + [LogField(.error, "\(failure)"), LogField(.attempts, attempts)]
                + (failure.fix.map { [LogField(.fix, $0)] } ?? []))
        if outcome == .refused {
            return try await end(refund, .refused, failure.reason, answer: answer)
        }
        if refund.failure?.message != failure.message {
            let noted = AnswerFailure(
                at: now, status: failure.status.map { Int32(clamping: $0) }, message: failure.message)
            try await record(refund) {
                $0.answer = answer
                $0.failure = noted
            }
        }
        return .retry
    }

    // MARK: Recording

    private func end(
        _ refund: RefundCase, _ kind: AnswerEnd.Kind, _ reason: String, answer: FrozenAnswer? = nil
    ) async throws -> Result {
        // At least the moment of the request that it ends, whatever the clocks say.
        let at = max(now, refund.openedAt ?? .earliest)
        try await record(refund) {
            $0.answer = answer
            $0.end = AnswerEnd(kind, at: at, reason: reason)
        }
        metrics.ended(kind)
        log.log(
            kind == .withheld ? .info : .error, key: kind.rawValue, "a request ends without an accepted answer",
            fields(refund) + [LogField(.answer, kind.rawValue), LogField(.reason, reason)])
        return .done
    }

    private func record(_ refund: RefundCase, _ change: @Sendable (inout RefundCase) -> Void) async throws {
        let empty = identity(of: refund)
        var contribution = empty
        change(&contribution)
        let said = contribution
        _ = try await state.contribute(
            to: RefundsModel.key(refund.bundleId, refund.transactionId), from: input(of: refund), orTo: empty
        ) { _ in said }
    }

    private func identity(of refund: RefundCase) -> RefundCase {
        RefundCase(
            environment: refund.environment, bundleId: refund.bundleId, transactionId: refund.transactionId)
    }

    private func input(of refund: RefundCase) -> KafkaTopic { topics.notifications(refund.environment) }

    private func failed(_ error: any Error) {
        guard !(error is CancellationError) else { return }
        log.log(
            .warning, key: "record", "a case could not be recorded, and is tried again", [LogField(.error, "\(error)")])
    }

    private func fields(_ refund: RefundCase) -> [LogField] {
        [LogField(.bundleId, refund.bundleId.rawValue), LogField(.environment, refund.environment.rawValue)]
    }
}
