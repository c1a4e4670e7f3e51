internal import AppStoreModel
internal import AppStoreServerAPI
internal import Primitives
internal import RefundRules
internal import Telemetry

/// Processes one round: decides and freezes its answer, sends it, and records the outcome.
///
/// No answer is sent until its bytes have won in the log, so every attempt sends the same bytes.
struct RefundWork: Sendable {
    enum Result: Sendable {
        case done
        /// The work must be retried later.
        case retry
    }

    /// The values of `refunds.mode`.
    enum Mode: String, Sendable, CaseIterable {
        case answer
        /// Decides and records answers but sends nothing.
        case observe
    }

    let mode: Mode
    let store: any RefundStore
    let decisions: RefundDecisions
    let api: any RefundAPI
    let clocks: Clocks
    let metrics: RefundsMetrics
    let log: RateLimitedLogger
    /// Waits before rewriting a record that Kafka rejected.
    let pause: @Sendable () async throws -> Void

    private var now: AppStoreInstant {
        AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
    }

    // MARK: Deciding

    /// Decides and freezes the answer for an undecided round, or records that the deadline has passed.
    ///
    /// - Returns: the result, and the health of the company's service.
    func decide(_ refund: RefundCase, _ round: RefundRound, isOver: Bool) async -> (Result, ServiceHealth) {
        if isOver { return (await attempt(refund) { try await finish(refund, round) }, .unknown) }
        let (decision, health) = await decisions.answer(to: refund, round, at: now)
        return (await attempt(refund) { try await carryOut(decision, refund, round) }, health)
    }

    private func carryOut(
        _ decision: RefundDecisions.Decision, _ refund: RefundCase, _ round: RefundRound
    ) async throws -> Result {
        switch decision {
        case .unable(let obstacle):
            try await record(obstacle, refund, round)
            return .retry
        case .withheld(let reason, let answer):
            try await end(refund, round, .withheld, reason, answer)
        case .confirmed(let transaction):
            try await record(refund) { $0.transaction = transaction }
        case .answer(let answer) where mode == .observe:
            try await end(refund, round, .observed, RefundReason.observed, answer)
        case .answer(let answer):
            guard try await store.propose(answer, for: refund) else { break }
            log.log(
                .info, key: "frozen", "answer frozen",
                fields(refund) + [
                    LogField(.answer, answer.outcome), LogField(.rule, answer.rule ?? "none"),
                    LogField(.round, round.number),
                ])
        }
        return .done
    }

    /// Ends a round after its deadline.
    private func finish(_ refund: RefundCase, _ round: RefundRound) async throws -> Result {
        if round.isTooLate {
            try await end(refund, round, .tooLate, RefundReason.tooLate)
        } else {
            let obstacle = refund.obstacle.flatMap { $0.through >= round.openedAt ? $0.reason : nil }
            try await end(refund, round, .missed, obstacle ?? RefundReason.noAnswerAccepted)
        }
        return .done
    }

    private func attempt(_ refund: RefundCase, _ body: () async throws -> Result) async -> Result {
        do {
            return try await body()
        } catch {
            report(error, refund)
            return .retry
        }
    }

    // MARK: Sending

    /// Sends the answer for a round.
    ///
    /// - Parameters:
    ///   - winner: the winning proposal for the round.
    ///   - attempts: the number of attempts by this member, including this one.
    ///   - isLast: whether the deadline of the round is near.
    /// - Returns: the result, and the health of the App Store Server API.
    func send(
        _ refund: RefundCase, _ round: RefundRound, winner: [UInt8], attempts: Int, isLast: Bool
    ) async -> (Result, ServiceHealth) {
        do {
            return try await send(refund, round, FrozenAnswer(json: winner), attempts: attempts, isLast: isLast)
        } catch {
            report(error, refund)
            return (.retry, .unknown)
        }
    }

    private func send(
        _ refund: RefundCase, _ round: RefundRound, _ answer: FrozenAnswer?, attempts: Int, isLast: Bool
    ) async throws -> (Result, ServiceHealth) {
        guard let answer, answer.body == nil || answer.form.map({ (1...2).contains($0) }) ?? false else {
            let newer = RefundObstacle(
                RefundReason.newerAnswer, "a later version of Sluice froze the answer; run that version")
            try await record(newer, refund, round)
            return (.retry, .unknown)
        }
        guard let body = answer.body, let form = answer.form else {
            // An operator decided not to send anything.
            let reason = answer.reason ?? ConsumptionError.Code.doNotAnswer.rawValue
            try await end(refund, round, .withheld, reason, answer)
            return (.done, .unknown)
        }
        if mode == .observe {
            try await end(refund, round, .observed, RefundReason.observed, answer)
            return (.done, .unknown)
        }
        switch await decisions.consent(to: answer, refund, round, at: now, isLast: isLast).0 {
        case .holds: break
        case .withdrawn(let reason):
            try await end(refund, round, .withheld, reason, answer)
            return (.done, .unknown)
        case .unknown(let obstacle):
            try await record(obstacle, refund, round)
            return (.retry, .unknown)
        }
        do throws(APIError) {
            try await api.send(Array(body.utf8), form: form, for: refund, isLast: isLast)
        } catch {
            let result = try await failed(refund, round, answer, error, attempts: attempts)
            return (result, ServiceHealth(ofConsumption: error))
        }
        try await accepted(refund, round, answer, attempts: attempts)
        return (.done, .answers)
    }

    private func accepted(
        _ refund: RefundCase, _ round: RefundRound, _ answer: FrozenAnswer, attempts: Int
    ) async throws {
        metrics.attempted(.accepted, refund.environment)
        let accepted = now
        var kept = answer
        kept.through = round.through
        let contribution = kept
        while true {
            do {
                try await record(refund) {
                    $0.insert(contribution)
                    $0.insert(AnswerAcceptance(through: round.through, at: accepted, attempts: Int64(attempts)))
                }
                break
            } catch {
                // Apple has the answer, so a Kafka failure must not cause it to be sent again.
                try Task.checkCancellation()
                report(error, refund)
                try await pause()
            }
        }
        metrics.accepted(answer, refund, milliseconds: (round.receivedAt ?? accepted).milliseconds(to: accepted))
        log.log(
            .info, key: "accepted", "Apple accepted an answer",
            fields(refund) + [
                LogField(.answer, answer.outcome), LogField(.attempts, attempts), LogField(.round, round.number),
            ])
    }

    private func failed(
        _ refund: RefundCase, _ round: RefundRound, _ answer: FrozenAnswer, _ failure: APIError, attempts: Int
    ) async throws -> Result {
        guard failure.kind != .cancelled else { return .retry }
        metrics.attempted(failure.outcome, refund.environment)
        log.log(
            failure.outcome == .unauthorized ? .error : .warning, key: failure.outcome.rawValue,
            "failed to send an answer to Apple",
            fields(refund) + [LogField(.error, "\(failure)"), LogField(.attempts, attempts)]
                + (failure.fix.map { [LogField(.fix, $0)] } ?? []))
        if failure.isFinalForConsumption {
            try await end(refund, round, .refused, failure.endReason, answer)
            return .done
        }
        try await record(failure.obstacle, refund, round)
        return .retry
    }

    // MARK: Recording

    private func end(
        _ refund: RefundCase, _ round: RefundRound, _ kind: AnswerEnd.Kind, _ reason: String,
        _ answer: FrozenAnswer? = nil
    ) async throws {
        let at = now
        var kept = answer
        kept?.through = round.through
        let contribution = kept
        try await record(refund) {
            if let contribution { $0.insert(contribution) }
            $0.insert(AnswerEnd(kind, through: round.through, at: at, reason: reason))
        }
        metrics.ended(kind, refund.environment, reason: reason)
        log.log(
            kind == .missed || kind == .refused ? .error : .info, key: kind.rawValue,
            "request ended without an accepted answer",
            fields(refund) + [
                LogField(.answer, kind.rawValue), LogField(.reason, reason), LogField(.round, round.number),
            ])
    }

    /// Records the obstacle for a waiting round if the obstacle has changed.
    private func record(_ obstacle: RefundObstacle, _ refund: RefundCase, _ round: RefundRound) async throws {
        let part = AnswerObstacle(
            through: round.through, at: now, reason: obstacle.reason, status: obstacle.status,
            message: obstacle.message)
        guard part.differs(from: refund.obstacle) else { return }
        try await record(refund) { $0.obstacle = part }
        log.log(
            .warning, key: obstacle.reason, "request cannot be answered yet",
            fields(refund) + [LogField(.reason, obstacle.reason), LogField(.error, obstacle.message)])
    }

    private func record(_ refund: RefundCase, _ change: (inout RefundCase) -> Void) async throws {
        var contribution = refund.identity
        change(&contribution)
        try await store.record(contribution)
    }

    private func report(_ error: any Error, _ refund: RefundCase) {
        guard !(error is CancellationError) else { return }
        log.log(
            .warning, key: "record", "failed to record a case; retrying",
            fields(refund) + [LogField(.error, "\(error)")])
    }

    private func fields(_ refund: RefundCase) -> [LogField] {
        [
            LogField(.transactionId, refund.transactionId.rawValue), LogField(.bundleId, refund.bundleId.rawValue),
            LogField(.environment, refund.environment.rawValue),
        ]
    }
}
