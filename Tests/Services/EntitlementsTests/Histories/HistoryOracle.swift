/// Computes the state from a set of notifications in the simplest way: in signing order, later ones replace earlier
/// ones. It is written from the specification alone, without code of EntitlementRules.
struct HistoryOracle {
    private var transactions: [String: (told: HistoryEntry.Transaction, signed: Int64)] = [:]
    private var renewal: (told: HistoryEntry.Renewal, signed: Int64)?
    private var status: (value: Int64, signed: Int64, about: HistoryEntry.Transaction)?
    private var upgrades: [(to: String, signed: Int64)] = []

    init(_ notifications: [HistoryEntry]) {
        for told in notifications.sorted(by: { ($0.signed, $0.uuid) < ($1.signed, $1.uuid) }) {
            transactions[told.transaction.id] = (told.transaction, told.signed)
            if let info = told.renewal { renewal = (info, told.signed) }
            if let stated = told.status { status = (stated, told.signed, told.transaction) }
            if told.type == "DID_CHANGE_RENEWAL_PREF" || told.type == "OFFER_REDEEMED", told.subtype == "UPGRADE" {
                upgrades.append((told.transaction.id, told.signed))
            }
        }
    }

    /// Returns one line for the state of a subscription, an owned product or consumable units at the given time.
    func line(at moment: Int64) -> String {
        let all = transactions.values.map(\.told)
        if let coins = all.first(where: { $0.type == "Consumable" }) {
            let debit = coins.revoked.map {
                $0 <= moment ? Int64((Double(coins.quantity * (coins.percentage ?? 100_000)) / 100_000).rounded()) : 0
            }
            return "units \(coins.quantity) - \(debit ?? 0)"
        }
        if let thing = all.first(where: { $0.type == "Non-Consumable" }) {
            let isRevoked = thing.revoked.map { $0 <= moment } ?? false
            return isRevoked ? "REVOKED false thing" : "OWNED true thing"
        }
        return subscriptionLine(at: moment)
    }

    /// Returns the account of the latest transaction that has one. Renewal info names the account of the next renewal.
    var account: String? {
        transactions.values.filter { $0.told.token != nil }.max {
            ($0.told.purchased, $0.told.id) < ($1.told.purchased, $1.told.id)
        }?.told.token
    }

    private func subscriptionLine(at moment: Int64) -> String {
        let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)
        guard let current = current(at: moment) else { return "none" }
        let info = renewal?.told
        let expires = current.told.expires ?? 0
        func line(_ state: String, _ entitled: Bool) -> String { "\(state) \(entitled) \(current.told.product)" }
        if let revoked = current.told.revoked, revoked <= moment { return line("REVOKED", false) }
        // Apple sends status 5 together with the refund of another period, which explains it.
        let isOfAnother =
            status.map { status in
                status.value == 5 && status.about.id != current.told.id
                    && transactions[status.about.id]?.told.revoked != nil
            } ?? false
        let value = isOfAnother ? nil : status?.value
        if let status, value == 5, current.told.revoked == nil, status.signed >= current.signed {
            return line("REVOKED", false)
        }
        if expires > moment { return line("ACTIVE", true) }
        // Each notification has both, so the newest status was signed with the newest renewal info.
        let isRetried = value == 4 || ![2, 3, 5].contains(value ?? 0) && info?.isRetrying == true
        if let grace = info?.graceUntil, grace > moment, isRetried { return line("GRACE", true) }
        if value == 4, info?.graceUntil == nil, expires + 3 * day + hour > moment { return line("GRACE", true) }
        let hasFailed = info?.isRetrying == true || info?.graceUntil != nil || info?.intent != nil
        if !hasFailed, ![2, 3, 4, 5].contains(value ?? 0), info?.willRenew != false,
            expires + 3 * hour > moment
        {
            return line("RENEWING", true)
        }
        if value == 3 || info?.isRetrying == true {
            return expires + 60 * day > moment ? line("RETRY", false) : line("EXPIRED", false)
        }
        if let status, status.value == 1, status.signed > expires {
            return line("STALE", status.signed + hour > moment)
        }
        return line("EXPIRED", false)
    }

    /// Returns the transaction with the latest purchaseDate among those that have begun and were not replaced by an
    /// upgrade; the first one if none has begun.
    private func current(at moment: Int64) -> (told: HistoryEntry.Transaction, signed: Int64)? {
        let ordered = transactions.values.filter { !isReplaced($0.told, signed: $0.signed) }.sorted { one, other in
            (one.told.purchased, one.told.expires ?? 0, one.signed, one.told.id)
                < (other.told.purchased, other.told.expires ?? 0, other.signed, other.told.id)
        }
        return ordered.last { $0.told.purchased <= moment } ?? ordered.first
    }

    private func isReplaced(_ transaction: HistoryEntry.Transaction, signed: Int64) -> Bool {
        if transaction.isUpgraded { return true }
        return upgrades.contains { upgrade in
            guard upgrade.to != transaction.id, signed < upgrade.signed, let by = transactions[upgrade.to],
                let expires = transaction.expires
            else { return false }
            return by.told.purchased < expires
        }
    }
}
