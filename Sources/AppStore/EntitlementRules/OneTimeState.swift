package import AppStoreModel

/// State of a transaction that does not renew automatically.
package struct OneTimeState: Hashable, Sendable {
    package enum Phase: String, Sendable, CaseIterable {
        /// Consumable: units are credited.
        case credited = "CREDITED"
        /// Consumable: some units were debited.
        case partlyRefunded = "PARTLY_REFUNDED"
        /// Consumable: all units were debited.
        case refunded = "REFUNDED"
        /// Non-consumable, or non-renewing subscription that has not ended.
        case owned = "OWNED"
        /// Non-renewing subscription that has ended, or whose length is not configured.
        case ended = "ENDED"
        case revoked = "REVOKED"
        /// The product type is unknown to this library: grants nothing.
        case unknown = "UNKNOWN"
    }

    package var phase: Phase
    package var isEntitled: Bool
    /// When this state ends without a notification; nil if it never does.
    package var until: AppStoreInstant?
    /// Consumables: the credited units, and how many of them were debited.
    package var creditedUnits: Int64 = 0
    package var debitedUnits: Int64 = 0
    package var problems: [EntitlementProblem] = []

    package var netUnits: Int64 { creditedUnits - debitedUnits }  // 0 <= debited <= credited
}

/// Why a transaction may grant less than intended. The problem is reported; everything else is evaluated as usual.
package enum EntitlementProblem: String, Sendable, CaseIterable {
    /// The quantity is not a whole number from 1 to 2^31 - 1: no credit.
    case quantityOutOfRange = "quantity_out_of_range"
    /// The revocation percentage is outside the range 0 to 100000: no credit.
    case percentageOutOfRange = "percentage_out_of_range"
    /// Units times quantity do not fit in 64 bits, or the rule's units are negative: no credit.
    case unitsOutOfRange = "units_out_of_range"
    /// A non-renewing product has no usable length in the rules.
    case lengthNotConfigured = "length_not_configured"
    case unknownProductType = "unknown_product_type"
    case productMissing = "product_missing"
    /// Apple states that a subscription is active, but none of its transactions is known.
    case transactionMissing = "transaction_missing"
    /// An Advanced Commerce transaction has more items than are kept: the answer contains only the first SKUs.
    case itemsOutOfRange = "items_out_of_range"
}

extension TransactionFacts {
    /// Returns the state of this transaction on its own.
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

    /// Returns the state of a non-renewing subscription that runs from `start` to `end`. A nil `end` means that the
    /// length is unknown.
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
    /// half up to the nearest unit, because Apple rounds the percentage: one third is 33333.
    static func share(of units: Int64, percentage: Int64) -> Int64 {
        units / 100_000 * percentage + (units % 100_000 * percentage + 50_000) / 100_000
    }
}
