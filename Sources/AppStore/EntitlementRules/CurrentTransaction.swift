package import AppStoreModel

extension PurchaseFacts {
    /// Whether a transaction was replaced by an upgrade: Apple says so in its own transaction, or an upgrade was signed
    /// after the last statement about that transaction and before its period ended.
    package func isUpgraded(_ transaction: TransactionFacts) -> Bool {
        if transaction.isUpgraded { return true }
        guard let expiresDate = transaction.expiresDate else { return false }
        return upgrades.contains { key, signedDate in
            guard key != transaction.key, transaction.version.signedDate < signedDate,
                let successor = transactions[key]
            else { return false }
            return successor.start < expiresDate
        }
    }

    /// The transaction that decides about the subscription at a moment: of those that have begun, were not upgraded and
    /// add no seats the one with the greatest purchaseDate; ties by expiresDate, then signedDate, then transactionId.
    /// Where none has begun, the earliest. Nil if there is none.
    package func currentTransaction(at instant: AppStoreInstant) -> TransactionFacts? {
        competingPeriods(from: instant).first
    }

    /// The transaction that is current at a moment, where one has begun, and those that begin after it: Apple renews up to
    /// a day ahead, and until then everything is as before.
    func competingPeriods(from instant: AppStoreInstant) -> [TransactionFacts] {
        var upcoming: [TransactionFacts] = []
        for transaction in transactions.values.reversed() {
            guard transaction.start > instant else { break }
            if transaction.isPeriod, !isUpgraded(transaction) { upcoming.append(transaction) }
        }
        if upcoming.count > 1 { upcoming.sort(by: Self.isEarlier) }
        if let current = latestPeriod({ $0.start <= instant && !isUpgraded($0) }) { upcoming.insert(current, at: 0) }
        return upcoming
    }

    /// Whether Apple's newest status, "revoked", is about a transaction that is known to be revoked: the one that came
    /// with it. If that is not the current one, the subscription goes on.
    var explainsRevokedStatus: Bool {
        guard let status, status.status == .revoked, let uuid = status.version.uuid else {
            return false
        }
        let tieBreak = TransactionVersion(status.version).tieBreak
        if transactions.values.contains(where: { $0.revocationDate != nil && $0.version.tieBreak == tieBreak }) {
            return true
        }
        // It may be older than what is kept of each.
        guard let latestTransaction, latestTransaction.version.uuid == uuid else {
            return false
        }
        return latestTransaction.content?.revocationDate != nil
    }

    /// As ``currentTransaction(at:)``, among the transactions made by then. An upgrade that lies later has not happened.
    func currentTransaction(asOf instant: AppStoreInstant) -> TransactionFacts? {
        let hasLater = transactions.values.contains { $0.isPeriod && $0.start > instant }
        return latestPeriod { $0.start <= instant && (hasLater || !isUpgraded($0)) }
    }

    /// Seat additions of the period of a transaction.
    func seatAdditions(to transaction: TransactionFacts) -> [TransactionFacts] {
        guard let expiresDate = transaction.expiresDate, transactions.values.contains(where: { $0.isSeatAddition })
        else {
            return []
        }
        return orderedTransactions.filter {
            $0.isSeatAddition && $0.isAutoRenewable && $0.start >= transaction.start && $0.start < expiresDate
        }
    }

    /// The latest transaction of those that compete.
    func latestPeriod(_ isIncluded: (TransactionFacts) -> Bool = { _ in true }) -> TransactionFacts? {
        var latest: TransactionFacts?
        // The latest come last: only those of the same start can be later still.
        for transaction in transactions.values.reversed() {
            if let latest, transaction.start < latest.start { break }
            guard transaction.isPeriod, isIncluded(transaction) else { continue }
            if latest.map({ Self.isEarlier($0, than: transaction) }) ?? true { latest = transaction }
        }
        return latest
    }

    private static func isEarlier(_ one: TransactionFacts, than other: TransactionFacts) -> Bool {
        let (expiry, otherExpiry) = (one.expiresDate ?? .earliest, other.expiresDate ?? .earliest)
        if one.start != other.start { return one.start < other.start }
        if expiry != otherExpiry { return expiry < otherExpiry }
        if one.version.signedDate != other.version.signedDate {
            return one.version.signedDate < other.version.signedDate
        }
        return one.transactionId < other.transactionId
    }

    /// The account the purchase belongs to: the one that Apple's facts name, unless the app has transferred the purchase
    /// from that account; else the newest claim of the app. Nil while unclaimed.
    package var appAccountToken: AppAccountToken? {
        guard let purchasedToken else { return newestClaim?.appAccountToken }
        if let claim = newestClaim, claim.transferredFrom == purchasedToken { return claim.appAccountToken }
        return purchasedToken
    }

    /// The app's newest claim, on this purchase or on the one that it continues.
    package var newestClaim: OwnerClaim? { .newer(claim, transferredClaim) }

    /// The account that Apple's own facts name: the appAccountToken of the latest transaction that has one, unless renewal
    /// info that was signed after the last statement about that transaction names another; else the renewal info's, else
    /// the last one named, else that of the purchase it continues. Where nothing is signed, the one that version 1
    /// notifications name.
    package var purchasedToken: AppAccountToken? {
        guard let latest = transactions.values.last(where: { $0.appAccountToken != nil }) else {
            return renewal?.appAccountToken ?? namedAccount?.appAccountToken ?? transferredToken?.appAccountToken
                ?? (hasSignedFacts ? nil : legacy?.appAccountToken)
        }
        if let renewal, renewal.version.signedDate > latest.version.signedDate, let token = renewal.appAccountToken {
            return token
        }
        return latest.appAccountToken
    }

    /// Links to the customer's other purchases in the app.
    package var appTransactionId: AppTransactionId? {
        (latest { $0.appTransactionId }) ?? renewal?.appTransactionId
            ?? (isConsent ? AppTransactionId(originalTransactionId.rawValue) : nil)
    }

    /// Whether this is no purchase, but what Apple said about a customer's consent: its originalTransactionId is the
    /// customer's appTransactionId.
    package var isConsent: Bool {
        transactions.isEmpty && renewal == nil && status == nil && consentRescindedAt != nil
    }

    /// When Apple last said that the consent for a minor's use of the app was withdrawn.
    package var consentRescindedAt: AppStoreInstant? {
        events.last { $0.notificationType == .rescindConsent }?.signedDate
    }

    /// The purchase this one continues after a migration to Advanced Commerce; its account link is transferred.
    package var previousOriginalTransactionId: OriginalTransactionId? {
        (latest { $0.previousOriginalTransactionId })
            ?? predecessors.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    }

    /// What the latest transaction that says anything of the kind says.
    private func latest<Value>(_ value: (TransactionFacts) -> Value?) -> Value? {
        for transaction in transactions.values.reversed() {
            if let value = value(transaction) { return value }
        }
        return nil
    }

    /// Whether this is a subscription that renews by itself.
    package var isSubscription: Bool {
        renewal != nil || status != nil || transactions.values.contains { $0.isAutoRenewable }
    }
}
