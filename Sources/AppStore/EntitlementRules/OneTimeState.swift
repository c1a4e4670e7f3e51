package import AppStoreModel

/// The state of a transaction that does not renew automatically.
package struct OneTimeState: Hashable, Sendable {
    package enum Phase: String, Sendable, CaseIterable {
        /// The units of a consumable were credited.
        case credited = "CREDITED"
        /// Some units of a consumable were debited.
        case partlyRefunded = "PARTLY_REFUNDED"
        /// All units of a consumable were debited.
        case refunded = "REFUNDED"
        /// A non-consumable, or a non-renewing subscription that has not ended.
        case owned = "OWNED"
        /// A non-renewing subscription that has ended, or whose length is not configured.
        case ended = "ENDED"
        case revoked = "REVOKED"
        /// The product type is unknown to this library. Nothing is granted.
        case unknown = "UNKNOWN"
    }

    package var phase: Phase
    package var isEntitled: Bool
    /// The time when this state ends without a notification, or nil if it never does.
    package var until: AppStoreInstant?
    /// The credited units of a consumable. `debitedUnits` is the part of them that was debited.
    package var creditedUnits: Int64 = 0
    package var debitedUnits: Int64 = 0
    package var problems: [EntitlementProblem] = []

    package var netUnits: Int64 { creditedUnits - debitedUnits }  // 0 <= debited <= credited
}

/// A problem that may make a transaction grant less than intended. It is reported, and everything else is evaluated as
/// usual.
package enum EntitlementProblem: String, Sendable, CaseIterable {
    /// The quantity is not a whole number from 1 to 2^31 - 1. Nothing is credited.
    case quantityOutOfRange = "quantity_out_of_range"
    /// The revocation percentage is not from 0 to 100000. Nothing is credited.
    case percentageOutOfRange = "percentage_out_of_range"
    /// The product of units and quantity overflows 64 bits, or the units in the rule are negative. Nothing is credited.
    case unitsOutOfRange = "units_out_of_range"
    /// The rules contain no usable length for a non-renewing product.
    case lengthNotConfigured = "length_not_configured"
    case unknownProductType = "unknown_product_type"
    case productMissing = "product_missing"
    /// Apple reported a subscription as active, but none of its transactions is known.
    case transactionMissing = "transaction_missing"
    /// An Advanced Commerce transaction exceeds the limit on stored items. The answer contains only the first SKUs.
    case itemsOutOfRange = "items_out_of_range"
}

extension TransactionFacts {
    /// Returns the state of this transaction, regardless of all others.
    package func oneTimeState(at instant: AppStoreInstant, rule: ProductRule) -> OneTimeState {
        switch type {
        case .some(.consumable):
            return creditState(at: instant, unitsPerItem: rule.units)
        case .some(.nonConsumable):
            if isRevoked(at: instant) { return OneTimeState(phase: .revoked, isEntitled: false) }
            return OneTimeState(phase: .owned, isEntitled: true, until: revocationDate)
        case .some(.nonRenewingSubscription):
            let end = rule.lengthMilliseconds.map { start.advanced(byMilliseconds: $0) }
            return timedState(at: instant, from: start, end: end)
        default:
            return OneTimeState(phase: .unknown, isEntitled: false, problems: [.unknownProductType])
        }
    }

    /// Returns the state of a non-renewing subscription that runs from `start` to `end`. If `end` is nil, the length is
    /// unknown.
    func timedState(
        at instant: AppStoreInstant, from start: AppStoreInstant, end: AppStoreInstant?
    ) -> OneTimeState {
        if isRevoked(at: instant) { return OneTimeState(phase: .revoked, isEntitled: false) }
        guard let end else {
            return OneTimeState(phase: .ended, isEntitled: false, problems: [.lengthNotConfigured])
        }
        guard end > instant else { return OneTimeState(phase: .ended, isEntitled: false) }
        guard start <= instant else { return OneTimeState(phase: .owned, isEntitled: false, until: start) }
        return OneTimeState(phase: .owned, isEntitled: true, until: min(end, revocationDate ?? end))
    }

    private func creditState(at instant: AppStoreInstant, unitsPerItem: Int64) -> OneTimeState {
        var problems = amountProblems.compactMap { problem -> EntitlementProblem? in
            switch problem {
            case .quantity: .quantityOutOfRange
            case .revocationPercentage: .percentageOutOfRange
            case .items: nil
            }
        }
        let (credited, overflow) = unitsPerItem.multipliedReportingOverflow(by: Int64(quantity ?? 1))
        if overflow || unitsPerItem < 0 { problems.append(.unitsOutOfRange) }
        let revocationDate = unitsRevocationDate
        let isRevoked = revocationDate.map { $0 <= instant } ?? false
        guard problems.isEmpty else {
            return OneTimeState(phase: isRevoked ? .refunded : .credited, isEntitled: false, problems: problems)
        }
        guard isRevoked else {
            return OneTimeState(phase: .credited, isEntitled: false, until: revocationDate, creditedUnits: credited)
        }
        let debited = Self.share(of: credited, percentage: Int64(revocationPercentage ?? 100_000))
        return OneTimeState(
            phase: debited < credited ? .partlyRefunded : .refunded, isEntitled: false, creditedUnits: credited,
            debitedUnits: debited)
    }

    /// Returns units × percentage ÷ 100000 without overflow, for a percentage from 0 to 100000. The result is rounded
    /// half up because Apple rounds the percentage: one third, for example, is 33333.
    static func share(of units: Int64, percentage: Int64) -> Int64 {
        units / 100_000 * percentage + (units % 100_000 * percentage + 50_000) / 100_000
    }
}
