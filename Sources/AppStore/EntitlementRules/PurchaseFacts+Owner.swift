package import AppStoreModel

/// The owner of a purchase. For the rule as a table, see "Who owns a purchase" in `deploy/README.md`.
extension PurchaseFacts {
    /// The tolerated clock difference, in milliseconds, between Apple and the member that records a claim.
    package static let clockTolerance: Int64 = 5 * 60_000

    /// Returns the owner of the purchase at a given time: usually the account that Apple names. If the app has
    /// transferred the purchase from that account and nothing has been bought since, the owner is the new account. If
    /// Apple names no account, the owner is the account that the app claims. Returns nil if there is no claim either.
    package func owner(at instant: AppStoreInstant) -> AppAccountToken? {
        let latestKnown = instant.advanced(byMilliseconds: Self.clockTolerance)
        guard let named = purchasedToken(at: instant) else {
            guard let claim = bindingClaim else { return nil }
            // Until a claim takes effect, the purchase belongs to the account in the claim that it replaced, if any.
            return claim.version.signedDate > latestKnown
                ? claim.transferredFrom ?? claim.appAccountToken
                : claim.appAccountToken
        }
        guard let claim = newestClaim, claim.transferredFrom == named, claim.version.signedDate <= latestKnown,
            !isBought(after: claim.version.signedDate, upTo: instant)
        else { return named }
        return claim.appAccountToken
    }

    /// The owner of the purchase once all known transactions have begun.
    package var appAccountToken: AppAccountToken? { owner(at: .latest) }

    /// All accounts that own the purchase at any time.
    package var accounts: [AppAccountToken] {
        var accounts: [AppAccountToken] = []
        forEachAccount { account in
            if !accounts.contains(account) { accounts.append(account) }
        }
        return accounts
    }

    /// Calls `body` with each account that owns the purchase at any time, possibly more than once.
    func forEachAccount(_ body: (AppAccountToken) -> Void) {
        func offer(_ account: AppAccountToken?) { if let account { body(account) } }
        var traits: TransactionTraits?
        // Most transactions share one traits object, so only the first transaction of each run is checked.
        for transaction in transactions.values where transaction.traits !== traits {
            traits = transaction.traits
            offer(transaction.appAccountToken)
        }
        offer(namedAccount?.appAccountToken)
        offer(namedAccount?.transferredFrom)
        offer(transferredToken?.appAccountToken)
        offer(transferredToken?.transferredFrom)
        offer(claim?.appAccountToken)
        offer(claim?.transferredFrom)
        offer(transferredClaim?.appAccountToken)
        offer(transferredClaim?.transferredFrom)
        // If only version 1 notifications name the owner, it is not among the accounts above.
        if legacy != nil { offer(appAccountToken) }
    }

    /// The app's newest claim on this purchase or on the purchase that it continues.
    package var newestClaim: OwnerClaim? { .newer(claim, transferredClaim) }

    /// Returns the account that Apple's facts name at a given time: the appAccountToken of the latest transaction that
    /// has begun and has one, or else of the first transaction with one. Renewal info names the account of the upcoming
    /// renewal; this account applies once Apple signs the renewal. The fallbacks are, in this order: the account named
    /// last, the account of the purchase that this one continues, and, if there are no signed facts, the account in
    /// version 1 notifications.
    package func purchasedToken(at instant: AppStoreInstant) -> AppAccountToken? {
        let isBegun = { (transaction: TransactionFacts) in
            transaction.start <= instant && !isReplacedRenewal(transaction, at: instant)
        }
        let named = transactions.values.last { $0.appAccountToken != nil && isBegun($0) }
        return (named ?? transactions.values.first { $0.appAccountToken != nil })?.appAccountToken
            ?? namedAccount?.appAccountToken ?? transferredToken?.appAccountToken
            ?? (hasSignedFacts ? nil : legacy?.appAccountToken)
    }

    /// Returns whether a transaction is the renewal for a period that an upgrade replaced before the period began.
    private func isReplacedRenewal(_ transaction: TransactionFacts, at instant: AppStoreInstant) -> Bool {
        !upgrades.isEmpty && isUpgraded(transaction)
            && upgrades.contains { key, signedDate in
                // Apple signs a renewal up to a day before its period. A transaction that begins more than a day after
                // the upgrade was signed must have been bought after the upgrade.
                guard let successor = transactions[key], successor.start <= instant,
                    transaction.start.advanced(byMilliseconds: -86_400_000) <= signedDate
                else { return false }
                return successor.start < transaction.start && transaction.start < successor.expiresDate ?? .latest
            }
    }

    /// Returns the start of the latest period that the customer bought under an account, among the periods that have
    /// begun by a given time. Renewals do not count.
    package func latestPurchase(upTo instant: AppStoreInstant) -> AppStoreInstant? {
        purchases.keys.filter { $0 <= instant }.max()
    }

    private func isBought(after moment: AppStoreInstant, upTo instant: AppStoreInstant) -> Bool {
        latestPurchase(upTo: instant).map { $0 >= moment } ?? false
    }

    /// The newest claim. A claim on this purchase is ignored if it was made before the purchase. Without this rule, a
    /// client could guess the ID of a future purchase and claim it in advance.
    private var bindingClaim: OwnerClaim? {
        .newer(claim.flatMap { precedesPurchase($0) ? nil : $0 }, transferredClaim)
    }

    private func precedesPurchase(_ claim: OwnerClaim) -> Bool {
        // A purchase that continues another was effectively bought together with the continued purchase. A claim that
        // precedes its own first transaction is therefore not too early.
        guard previousOriginalTransactionId == nil, let first = transactions.values.first?.start else { return false }
        // The first periods of an old subscription may no longer be stored.
        let beginning = min(first, latestTransaction?.content?.originalPurchaseDate ?? first)
        return claim.version.signedDate.advanced(byMilliseconds: Self.clockTolerance) < beginning
    }
}

extension NotificationType {
    /// Returns whether this type with the given subtype denotes a purchase by the customer rather than a renewal.
    func tellsOfPurchase(_ subtype: Subtype?) -> Bool {
        switch self {
        case .subscribed: true
        case .offerRedeemed: subtype == .initialBuy || subtype == .resubscribe || subtype == .upgrade
        case .didChangeRenewalPref: subtype == .upgrade
        default: false
        }
    }
}
