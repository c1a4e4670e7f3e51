package import AppStoreModel

/// Apple's decision about a refund.
package enum RefundCaseOutcome: String, Sendable, CaseIterable {
    case declined
    case granted
    /// The refund was granted and later reversed.
    case reversed

    /// The rank among decisions with the same date. The decision with the highest rank takes precedence.
    var order: Int64 {
        switch self {
        case .declined: 0
        case .granted: 1
        case .reversed: 2
        }
    }
}

extension RefundCase {
    /// How long a case is stored after its last record, in milliseconds.
    package static let retention: Int64 = 400 * 86_400_000

    /// Apple's newest decision, or nil if there is none yet. A signed decision takes precedence over unsigned ones.
    package var verdict: RefundVerdict? {
        verdicts.all.last(where: \.isSigned) ?? verdicts.newest
    }

    package var outcome: RefundCaseOutcome? { verdict?.kind }

    /// Whether the transaction is currently refunded at the customer's request.
    package var isRefunded: Bool { verdict.map { $0.kind == .granted && !$0.isUpgrade } ?? false }

    package var newestRequest: RefundRequest? {
        requests.values.max {
            $0.signedDate != $1.signedDate
                ? $0.signedDate < $1.signedDate : $0.notificationUUID < $1.notificationUUID
        }
    }

    /// Returns the date of the newest request that a proposal covers. Proposals in format version 1 do not contain this
    /// date; for them, it is the date of the newest request received before the decision.
    package func through(of answer: FrozenAnswer) -> AppStoreInstant {
        answer.through ?? newestDate(receivedUntil: answer.decidedAt)
    }

    /// Returns a proposal's round, identified by the date of the round's first request in milliseconds, or `Int64.min`
    /// if the bytes do not identify a round.
    ///
    /// - Parameter gap: see ``RefundRounds``.
    package func round(ofProposal json: [UInt8], gap: Int64) -> Int64 {
        let date = FrozenAnswer(json: json).map(through) ?? FrozenAnswer.through(proposal: json)
        return date.flatMap { RefundRounds(self, gap: gap).round(through: $0)?.openedAt.millisecondsSince1970 } ?? .min
    }

    /// Returns whether an erasure leaves a proposal in place. It removes every answer decided up to its time, and every
    /// proposal that does not contain that time.
    package func retains(proposal json: [UInt8]) -> Bool {
        guard let erasedAt else { return true }
        return FrozenAnswer.decidedAt(proposal: json).map { $0 > erasedAt } ?? false
    }

    /// Returns the latest signedDate of the requests received up to `moment` or, if there are none, the earliest
    /// signedDate of all requests. Returns `moment` if there are no requests at all.
    func newestDate(receivedUntil moment: AppStoreInstant) -> AppStoreInstant {
        let received = requests.values.filter { $0.receivedAt <= moment }.map(\.signedDate).max()
        return received ?? requests.values.map(\.signedDate).min() ?? moment
    }

    /// The time when the case is no longer needed.
    package var expiry: AppStoreInstant? {
        var moments = requests.values.map(\.receivedAt)
        moments += acceptances.all.map(\.at) + ends.all.map(\.at) + verdicts.all.map(\.signedDate)
        moments += [consentRescindedAt, erasedAt, transaction?.signedDate].compactMap(\.self)
        return moments.max()?.advanced(byMilliseconds: Self.retention)
    }
}
