/// The rows of app-store.md 11.3.
extension AccessOracle {
    func subscriptionAnswer(at instant: Int64) -> AccessAnswer? {
        let periods = AccessPeriod.periods(of: candidates)
        guard let current = periods.last(where: { $0.start <= instant }) ?? periods.first else { return nil }
        let row = row(current, at: instant)
        var answer = AccessAnswer(isEntitled: row.isEntitled, state: row.state, product: current.first.product)
        answer.until = row.until
        if row.state == "ACTIVE" { answer.until = end(of: current, in: periods) }
        guard row.isEntitled else { return answer }
        answer.seats = current.seats(at: instant)
        guard !current.first.items.isEmpty else { return answer }
        let held = current.first.items.filter { $0.revoked.map { $0 > instant } ?? true }
        // Access is granted per item, so no items means no access.
        if held.isEmpty { return AccessAnswer(isEntitled: false, state: "REVOKED", product: answer.product) }
        answer.items = held.map(\.sku)
        return answer
    }

    private typealias Row = (state: String, isEntitled: Bool, until: Int64?)

    /// Returns the first row that matches.
    private func row(_ period: AccessPeriod, at instant: Int64) -> Row {
        let isMonthly = period.first.commitment != nil
        if period.isRevoked(at: instant) || isRevokedByStatus(period) { return ("REVOKED", false, nil) }
        if period.expires > instant { return ("ACTIVE", true, nil) }
        if !isMonthly, let end = graceEnd(period), end > instant { return ("GRACE", true, end) }
        if period.expires + settings.renewalLeeway > instant, mayRenew(period) { return ("RENEWING", true, nil) }
        let retryEnd = period.expires + (isMonthly ? 90 : 60) * day
        if isInRetry(period) {
            return retryEnd > instant ? ("RETRY", false, retryEnd) : ("EXPIRED", false, nil)
        }
        if let status = statuses.last, status.status == 1, status.statusSigned > period.expires {
            return ("STALE", status.statusSigned + settings.staleTolerance > instant, nil)
        }
        return ("EXPIRED", false, nil)
    }

    /// Returns the last expiry of the consecutive periods of the same product. A period refunded before it begins does
    /// not extend access.
    private func end(of current: AccessPeriod, in periods: [AccessPeriod]) -> Int64 {
        var end = current.expires
        for next in periods where next.start > current.start && next.start <= end {
            // From then on, the latest purchaseDate decides even if the periods overlap.
            guard next.first.product == current.first.product else { return next.start }
            if next.transactions.contains(where: { $0.revoked == nil }) { end = max(end, next.expires) }
        }
        return end
    }

    /// Returns renewal info about the period or a later one. Info about an earlier period is outdated.
    private func renewal(of period: AccessPeriod) -> StatedRenewal? {
        renewal.flatMap { $0.renewalDate >= period.expires ? $0 : nil }
    }

    /// Returns the newest status if it was signed during the current period and not together with renewal info about an
    /// earlier one.
    private func status(of period: AccessPeriod) -> AppleStatement? {
        guard let newest = statuses.last, !isExplained(newest, period) else { return nil }
        if let renewal = newest.renewal, renewal.renewalDate < period.expires, !period.has(newest.transaction) {
            return nil
        }
        return newest.statusSigned >= period.start || period.has(newest.transaction) ? newest : nil
    }

    /// Returns whether another, revoked transaction in the same statement explains a status 5.
    private func isExplained(_ statement: AppleStatement, _ period: AccessPeriod) -> Bool {
        guard statement.status == 5, let transaction = statement.transaction else { return false }
        return transaction.revoked != nil && !period.has(transaction)
    }

    /// Returns whether the status is 5 although no transaction of the period is revoked.
    private func isRevokedByStatus(_ period: AccessPeriod) -> Bool {
        status(of: period)?.status == 5 && period.transactions.allSatisfy { $0.revoked == nil }
    }

    /// Row 3: returns the end of grace if the newest facts belong to a grace period.
    private func graceEnd(_ period: AccessPeriod) -> Int64? {
        let status = status(of: period)
        let renewal = renewal(of: period)
        guard let renewal, let date = renewal.graceExpires else {
            // Apple counts calendar days, and a daylight saving change makes one of them an hour longer.
            return status?.status == 4 ? period.expires + settings.graceFallback + hour : nil
        }
        let isOver = statuses.contains { statement in
            statement.statusSigned >= renewal.signed && [2, 3, 5].contains(statement.status)
                && !isExplained(statement, period)
        }
        let saysGrace = status.map { $0.status == 4 && $0.statusSigned >= renewal.signed } ?? false
        return isOver || (renewal.isInRetry == false && !saysGrace) ? nil : date
    }

    /// Row 3b: returns whether no statement contradicts a renewal of the period.
    private func mayRenew(_ period: AccessPeriod) -> Bool {
        if let failure = renewal(of: period), failure.isInRetry == true || failure.intent != nil { return false }
        // Renewal info signed before the period began is irrelevant to the period's own renewal.
        let renewal = renewal.flatMap { $0.renewalDate >= period.expires || $0.signed >= period.start ? $0 : nil }
        if let status = status(of: period)?.status, [2, 3, 5].contains(status) { return false }
        if let commitment = period.first.commitment, commitment.number >= commitment.total,
            renewal?.commitmentAutoRenews == false
        {
            return false
        }
        return renewal?.autoRenews != false
    }

    /// Row 4. "Who cancels inside grace or retry is cancelled at once: EXPIRED, status 2, tells it." If the status and
    /// the retry flag are in one statement, the flag decides.
    private func isInRetry(_ period: AccessPeriod) -> Bool {
        let status = status(of: period)
        if status?.status == 3 { return true }
        guard let renewal = renewal(of: period), renewal.isInRetry == true else { return false }
        return status.map { $0.status != 2 || $0.statusSigned < renewal.signed || $0.renewal == renewal } ?? true
    }
}
