package import AppStoreModel

/// What became of Apple's request.
package enum AnswerStatus: String, Sendable, CaseIterable {
    /// Apple has not asked.
    case none
    /// Apple waits.
    case waiting
    /// Apple accepted the answer.
    case accepted
    /// No answer on purpose.
    case withheld
    /// Apple refused the answer.
    case refused
    /// The time was over.
    case missed
    /// The outcome came before an answer.
    case overtaken
}

/// What came of the request.
package enum RefundCaseOutcome: String, Sendable, CaseIterable {
    case granted
    case declined
    /// Granted, and taken back.
    case reversed
}

extension RefundCase {
    /// Apple's limit for an answer, in milliseconds.
    package static let answerTime: Int64 = 12 * 3_600_000
    /// A case that is done with is kept so long after the last that was heard of it, in milliseconds.
    package static let retention: Int64 = 400 * 86_400_000

    /// The newest decision of Apple; nil for none yet. One that was signed goes before every other.
    package var outcome: RefundCaseOutcome? {
        let all = verdicts
        let signed = all.filter(\.verdict.isSigned)
        // Where two were signed at once the later in the list counts.
        return (signed.isEmpty ? all : signed)
            .reduce(nil as (outcome: RefundCaseOutcome, verdict: RefundVerdict)?) { last, next in
                last.map { next.verdict.signedDate >= $0.verdict.signedDate ? next : $0 } ?? next
            }?.outcome
    }

    private var verdicts: [(outcome: RefundCaseOutcome, verdict: RefundVerdict)] {
        let verdicts: [(RefundCaseOutcome, RefundVerdict?)] = [
            (.declined, declined), (.granted, granted), (.reversed, reversed),
        ]
        return verdicts.compactMap { outcome, verdict in verdict.map { (outcome, $0) } }
    }

    /// Requests that no outcome followed. A signed one is ended by a signed outcome only.
    private var waitingRequests: [RefundRequest] {
        let verdicts = verdicts.map(\.verdict)
        let last = verdicts.map(\.signedDate).max()
        let lastSigned = verdicts.filter(\.isSigned).map(\.signedDate).max()
        return requests.values.filter { request in
            (request.isSigned ? lastSigned : last).map { request.signedDate > $0 } ?? true
        }
    }

    /// When the present request was first received; nil when Apple has not asked, or not since its last decision.
    package var openedAt: AppStoreInstant? { waitingRequests.map(\.receivedAt).min() }

    /// Until when Apple takes an answer to the present request: 12 hours after it was first received, and no later than
    /// 12 hours after the newest repetition was signed.
    package var deadline: AppStoreInstant? {
        let waiting = waitingRequests
        guard let first = waiting.map(\.receivedAt).min(), let newest = waiting.map(\.signedDate).max() else {
            return nil
        }
        return min(first, newest).advanced(byMilliseconds: Self.answerTime)
    }

    /// The newest reason that the customer gave.
    package var reason: ConsumptionRequestReason? { newestRequest?.reason }

    package var newestRequest: RefundRequest? {
        requests.values.max {
            $0.signedDate != $1.signedDate
                ? $0.signedDate < $1.signedDate : $0.notificationUUID < $1.notificationUUID
        }
    }

    /// Of which transaction Apple waits for an answer is not certain: no signed request is among those that wait, and the
    /// newest does not say.
    package var isAmbiguous: Bool {
        let waiting = waitingRequests
        return !waiting.contains(where: \.isSigned)
            && waiting.max { ($0.signedDate, $0.notificationUUID) < ($1.signedDate, $1.notificationUUID) }?.isAmbiguous
                ?? false
    }

    package var answerStatus: AnswerStatus {
        guard let openedAt else {
            guard let firstRequest = requests.values.map(\.receivedAt).min() else { return .none }
            return ended(since: firstRequest) ?? .overtaken
        }
        return ended(since: openedAt) ?? .waiting
    }

    private func ended(since start: AppStoreInstant) -> AnswerStatus? {
        if let acceptance, acceptance.at >= start { return .accepted }
        guard let end, end.at >= start else { return nil }
        switch end.kind {
        case .withheld: return .withheld
        case .refused: return .refused
        case .missed: return .missed
        }
    }

    /// Whether the transaction is refunded now.
    package var isRefunded: Bool { outcome == .granted }

    /// When the case is no longer needed; nil while Apple waits.
    package var expiry: AppStoreInstant? {
        guard answerStatus != .waiting else { return nil }
        let moments =
            requests.values.map(\.receivedAt)
            + [
                acceptance?.at, end?.at, granted?.signedDate, declined?.signedDate, reversed?.signedDate,
                consentRescindedAt, transaction?.signedDate,
            ].compactMap(\.self)
        return moments.max()?.advanced(byMilliseconds: Self.retention)
    }
}
