package import AppStoreModel

/// Apple's decision about a refund.
package enum RefundCaseOutcome: String, Sendable, CaseIterable {
    case declined
    case granted
    /// Granted, and taken back.
    case reversed

    /// Of two decisions of one moment the later in this order counts.
    var order: Int64 {
        switch self {
        case .declined: 0
        case .granted: 1
        case .reversed: 2
        }
    }
}

extension RefundCase {
    /// A case is kept so long after the last that was heard of it, in milliseconds.
    package static let retention: Int64 = 400 * 86_400_000

    /// Apple's newest decision; nil for none yet. One that was signed goes before every other.
    package var verdict: RefundVerdict? {
        verdicts.all.last(where: \.isSigned) ?? verdicts.newest
    }

    package var outcome: RefundCaseOutcome? { verdict?.kind }

    /// Whether the transaction is refunded now, at the customer's request.
    package var isRefunded: Bool { verdict.map { $0.kind == .granted && !$0.isUpgrade } ?? false }

    package var newestRequest: RefundRequest? {
        requests.values.max {
            $0.signedDate != $1.signedDate
                ? $0.signedDate < $1.signedDate : $0.notificationUUID < $1.notificationUUID
        }
    }

    /// The newest request that a proposal knew. One of format version 1 does not say it: those that had been received when
    /// it was decided.
    package func through(of answer: FrozenAnswer) -> AppStoreInstant {
        answer.through ?? newestDate(receivedUntil: answer.decidedAt)
    }

    /// The round that a proposal belongs to, by the date of its first request in milliseconds; the smallest number where the
    /// bytes do not say it.
    ///
    /// - Parameter gap: as for ``RefundRounds``.
    package func round(ofProposal json: [UInt8], gap: Int64) -> Int64 {
        let date = FrozenAnswer(json: json).map(through) ?? FrozenAnswer.through(proposal: json)
        return date.flatMap { RefundRounds(self, gap: gap).round(through: $0)?.openedAt.millisecondsSince1970 } ?? .min
    }

    /// The greatest signedDate of the requests that were received until a moment, else the smallest.
    func newestDate(receivedUntil moment: AppStoreInstant) -> AppStoreInstant {
        let received = requests.values.filter { $0.receivedAt <= moment }.map(\.signedDate).max()
        return received ?? requests.values.map(\.signedDate).min() ?? moment
    }

    /// When the case is no longer needed.
    package var expiry: AppStoreInstant? {
        var moments = requests.values.map(\.receivedAt)
        moments += acceptances.all.map(\.at) + ends.all.map(\.at) + verdicts.all.map(\.signedDate)
        moments += [consentRescindedAt, erasedAt, transaction?.signedDate].compactMap(\.self)
        return moments.max()?.advanced(byMilliseconds: Self.retention)
    }
}
