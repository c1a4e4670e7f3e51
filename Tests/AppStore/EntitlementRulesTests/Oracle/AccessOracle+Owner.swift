/// The owner of a purchase (app-store.md 11.1, and the table "Who owns a purchase" in deploy/README.md).
extension AccessOracle {
    /// Returns the account of the current transaction at a given time, unless a claim overrides it.
    func account(at instant: Int64, _ claim: StatedClaim?) -> String? {
        let named = namedAccount(at: instant)
        guard let claim else { return named }
        guard let named else { return claim.account }
        let isBoughtSince = transactions.contains {
            $0.account != nil && !$0.isRenewal && $0.start >= claim.claimed && $0.start <= instant
        }
        return claim.claimed <= instant && claim.former == named && !isBoughtSince
            ? claim.account : named
    }

    private func namedAccount(at instant: Int64) -> String? {
        let made = transactions.filter { $0.account != nil }.sorted { $0.start < $1.start }
        let running = made.last { $0.start <= instant && !isReplaced($0, at: instant) }
        return (running ?? made.first)?.account
    }

    /// Returns whether an upgrade that began by a given time replaced the transaction, either as the period that it
    /// ended or as a renewal already made for the next period.
    private func isReplaced(_ transaction: StatedTransaction, at instant: Int64) -> Bool {
        upgrades.contains { upgrade in
            guard let successor = upgrade.transaction, successor.id != transaction.id else {
                return false
            }
            return successor.start <= instant && successor.start < transaction.expires ?? .max
                && transaction.start - day <= upgrade.signed && isReplaced(transaction, by: upgrade)
        }
    }
}
