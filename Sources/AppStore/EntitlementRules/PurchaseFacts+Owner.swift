package import AppStoreModel

/// The owner of a purchase. `deploy/README.md`, "Whose a purchase is", has the rule as a table.
extension PurchaseFacts {
    /// Tolerated difference in milliseconds between Apple's clock and the clock of the member that records a claim.
    package static let clockTolerance: Int64 = 5 * 60_000

    /// Returns the owner of the purchase at a moment. This is the account that Apple names, unless the app has
    /// transferred the purchase from that account and nothing has been bought since. If Apple names none, it is the
    /// account claimed by the app. Nil if there is no claim either.
    package func owner(at instant: AppStoreInstant) -> AppAccountToken? {
        let latestKnown = instant.advanced(byMilliseconds: Self.clockTolerance)
        guard let named = purchasedToken(at: instant) else {
            guard let claim = bindingClaim else { return nil }
            // Until a claim takes effect, the purchase belongs to the account of the claim that it replaced.
            return claim.version.signedDate > latestKnown
                ? claim.transferredFrom ?? claim.appAccountToken
                : claim.appAccountToken
        }
        guard let claim = newestClaim, claim.transferredFrom == named, claim.version.signedDate <= latestKnown,
            !isBought(after: claim.version.signedDate, upTo: instant)
        else { return named }
        return claim.appAccountToken
    }

    /// The account of the latest known transaction, including a transaction that has not begun.
    package var appAccountToken: AppAccountToken? { owner(at: .latest) }

    /// Every account that may own the purchase at any moment.
    package var accounts: [AppAccountToken] {
        var accounts: [AppAccountToken] = []
        func add(_ account: AppAccountToken?) {
            if let account, !accounts.contains(account) { accounts.append(account) }
        }
        var traits: TransactionTraits?
        // Most transactions share one traits object, so each run of transactions with the same object is checked once.
        for transaction in transactions.values where transaction.traits !== traits {
            traits = transaction.traits
            add(transaction.appAccountToken)
        }
        for claim in [namedAccount, transferredToken, claim, transferredClaim] {
            add(claim?.appAccountToken)
            add(claim?.transferredFrom)
        }
        add(appAccountToken)
        return accounts
    }

    /// The app's newest claim, on this purchase or on the one that it continues.
    package var newestClaim: OwnerClaim? { .newer(claim, transferredClaim) }

    /// Returns the account named by Apple's own facts at a moment: the appAccountToken of the latest transaction that
    /// has begun and has one, or of the first transaction if none has begun. Renewal info names the account of the
    /// upcoming renewal, which counts once Apple signs that renewal. The fallbacks are, in this order, the last account
    /// named, the account of the purchase that this one continues and, if there are no signed facts, the account named
    /// by version 1 notifications.
    package func purchasedToken(at instant: AppStoreInstant) -> AppAccountToken? {
        let isBegun = { (transaction: TransactionFacts) in
            transaction.start <= instant && !isReplacedRenewal(transaction, at: instant)
        }
        let named = transactions.values.last { $0.appAccountToken != nil && isBegun($0) }
        return (named ?? transactions.values.first { $0.appAccountToken != nil })?.appAccountToken
            ?? namedAccount?.appAccountToken ?? transferredToken?.appAccountToken
            ?? (hasSignedFacts ? nil : legacy?.appAccountToken)
    }

    /// Returns whether a transaction is a renewal for the coming period that was replaced by an upgrade before that
    /// period began.
    private func isReplacedRenewal(_ transaction: TransactionFacts, at instant: AppStoreInstant) -> Bool {
        !upgrades.isEmpty && isUpgraded(transaction)
            && upgrades.contains { key, signedDate in
                // Apple renews a day ahead; a later transaction was bought after the upgrade.
                guard let successor = transactions[key], successor.start <= instant,
                    transaction.start.advanced(byMilliseconds: -86_400_000) <= signedDate
                else { return false }
                return successor.start < transaction.start && transaction.start < successor.expiresDate ?? .latest
            }
    }

    /// Returns when the customer last bought something under an account, considering only purchases that had begun by a
    /// moment.
    package func latestPurchase(upTo instant: AppStoreInstant) -> AppStoreInstant? {
        purchases.keys.filter { $0 <= instant }.max()
    }

    private func isBought(after moment: AppStoreInstant, upTo instant: AppStoreInstant) -> Bool {
        latestPurchase(upTo: instant).map { $0 >= moment } ?? false
    }

    /// The newest claim, unless it was made before anything was bought: a client that guesses the id of a future
    /// purchase must not obtain a claim on it.
    private var bindingClaim: OwnerClaim? {
        .newer(claim.flatMap { precedesPurchase($0) ? nil : $0 }, transferredClaim)
    }

    private func precedesPurchase(_ claim: OwnerClaim) -> Bool {
        // If a purchase continues another, it was bought together with that one.
        guard previousOriginalTransactionId == nil, let first = transactions.values.first?.start else { return false }
        // The first periods of an old subscription may no longer be kept.
        let beginning = min(first, latestTransaction?.content?.originalPurchaseDate ?? first)
        return claim.version.signedDate.advanced(byMilliseconds: Self.clockTolerance) < beginning
    }
}

extension NotificationType {
    /// Returns whether a notification of this type reports a transaction made by the customer rather than a renewal.
    func tellsOfPurchase(_ subtype: Subtype?) -> Bool {
        switch self {
        case .subscribed: true
        case .offerRedeemed: subtype == .initialBuy || subtype == .resubscribe || subtype == .upgrade
        case .didChangeRenewalPref: subtype == .upgrade
        default: false
        }
    }
}
