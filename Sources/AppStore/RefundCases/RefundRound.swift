package import AppStoreModel

/// The state of a round of Apple's requests.
package enum AnswerStatus: String, Sendable, CaseIterable {
    /// Apple has not asked.
    case none
    /// Apple waits.
    case waiting
    /// Apple accepted the answer.
    case accepted
    /// Nothing is sent, on purpose.
    case withheld
    /// The answer was decided and not sent: `refunds.mode` is `observe`.
    case observed
    /// Apple refused the answer.
    case refused
    /// The time was over.
    case missed
    /// The time was over when this installation first read the request.
    case tooLate = "too_late"
    /// Apple decided, or asked again much later, before there was an answer.
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

/// Requests about one refund that Apple asks about: decided and answered at most once. Source: app-store.md 10.5.
package struct RefundRound: Hashable, Sendable {
    /// From 1.
    package let number: Int
    /// The date of its first request, by Apple's clock.
    package let openedAt: AppStoreInstant
    /// The greatest date of its requests, by Apple's clock.
    package let through: AppStoreInstant
    /// In the order of their dates. Empty only where all were dropped as too many.
    package let requests: [RefundRequest]
    package let answer: FrozenAnswer?
    package let acceptance: AnswerAcceptance?
    package let end: AnswerEnd?
    /// Apple's decision that ended it.
    package let verdict: RefundVerdict?
    /// Apple's newest decision before the next round: a refund may be reversed.
    package let lastVerdict: RefundVerdict?
    /// A later round began.
    package let isSuperseded: Bool

    /// Apple's limit for an answer after the receipt of a request, in milliseconds.
    package static let answerTime: Int64 = 12 * 3_600_000

    package var status: AnswerStatus {
        if acceptance != nil { return .accepted }
        if let end { return AnswerStatus(end.kind) }
        return verdict == nil && !isSuperseded ? .waiting : .overtaken
    }

    /// When answers are due: they are sent in this order, and alerts look at it. 12 hours after the oldest request was
    /// signed or received, whichever came first.
    package var deadline: AppStoreInstant? {
        requests.first.map { min($0.signedDate, $0.receivedAt).advanced(byMilliseconds: Self.answerTime) }
    }

    /// Until when an answer is tried: 12 hours after the last receipt of a request. Nil when no request came in time.
    package var answerableUntil: AppStoreInstant? {
        requests.filter(\.isTimely).map(\.receivedAt).max()?.advanced(byMilliseconds: Self.answerTime)
    }

    /// Whether every request was too old when it was received, or over when it was first read here.
    package var isTooLate: Bool { requests.allSatisfy { $0.isLate || !$0.isTimely } }

    /// When the first request was received.
    package var receivedAt: AppStoreInstant? { requests.map(\.receivedAt).min() }

    /// The newest reason that the customer gave.
    package var reason: ConsumptionRequestReason? { requests.last { $0.reason != nil }?.reason }

    /// No signed request says which transaction it is about, and the newest leaves it open.
    package var isAmbiguous: Bool { !requests.contains(where: \.isSigned) && requests.last?.isAmbiguous ?? false }
}
