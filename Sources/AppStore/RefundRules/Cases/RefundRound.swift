package import AppStoreModel

/// The state of a round of Apple's requests.
package enum AnswerStatus: String, Sendable, CaseIterable {
    /// Apple has sent no request.
    case none
    /// Apple is waiting for the answer.
    case waiting
    /// Apple accepted the answer.
    case accepted
    /// The answer was withheld intentionally.
    case withheld
    /// The answer was decided but not sent, because `refunds.mode` is `observe`.
    case observed
    /// Apple refused the answer.
    case refused
    /// The deadline passed without an accepted answer.
    case missed
    /// The deadline had passed when this installation first read the request.
    case tooLate = "too_late"
    /// Apple made its decision, or sent a much later request, before there was an answer.
    case overtaken

    init(_ end: AnswerEnd.Kind) {
        switch end {
        case .withheld: self = .withheld
        case .observed: self = .observed
        case .refused: self = .refused
        case .missed: self = .missed
        case .tooLate: self = .tooLate
        }
    }
}

/// A group of Apple's requests about one refund, decided and answered at most once. Source: app-store.md 10.5.
package struct RefundRound: Hashable, Sendable {
    /// The number of the round, starting at 1.
    package let number: Int
    /// The date of the round's first request, on Apple's clock.
    package let openedAt: AppStoreInstant
    /// The latest date of the round's requests, on Apple's clock.
    package let through: AppStoreInstant
    /// The requests ordered by date. Empty only if all were dropped because there were too many.
    package let requests: [RefundRequest]
    package let answer: FrozenAnswer?
    package let acceptance: AnswerAcceptance?
    package let end: AnswerEnd?
    /// Apple's decision that ended the round.
    package let verdict: RefundVerdict?
    /// Apple's newest decision before the next round. It can differ from `verdict`, because a refund can be reversed.
    package let lastVerdict: RefundVerdict?
    /// Whether a later round has begun.
    package let isSuperseded: Bool

    /// Apple's time limit for an answer, counted from the receipt of a request, in milliseconds.
    package static let answerTime: Int64 = 12 * 3_600_000

    package var status: AnswerStatus {
        if acceptance != nil { return .accepted }
        if let end { return AnswerStatus(end.kind) }
        return verdict == nil && !isSuperseded ? .waiting : .overtaken
    }

    /// The time when the answer is due: 12 hours after the oldest request was signed or received, whichever came first.
    /// Answers are sent in the order of their deadlines, and alerts use this time.
    package var deadline: AppStoreInstant? {
        requests.first.map { min($0.signedDate, $0.receivedAt).advanced(byMilliseconds: Self.answerTime) }
    }

    /// The time when attempts to answer end: 12 hours after receipt of the last request that arrived in time. Nil if
    /// none did.
    package var answerableUntil: AppStoreInstant? {
        requests.filter(\.isTimely).map(\.receivedAt).max()?.advanced(byMilliseconds: Self.answerTime)
    }

    /// Whether every request arrived too late or was first read after its deadline.
    package var isTooLate: Bool { requests.allSatisfy { $0.isLate || !$0.isTimely } }

    /// The time when the first request was received.
    package var receivedAt: AppStoreInstant? { requests.map(\.receivedAt).min() }

    /// The most recent reason that the customer gave.
    package var reason: ConsumptionRequestReason? { requests.last { $0.reason != nil }?.reason }

    /// Whether the newest request is ambiguous and no signed request identifies the transaction.
    package var isAmbiguous: Bool { !requests.contains(where: \.isSigned) && requests.last?.isAmbiguous ?? false }
}
