/// Events at the end of a period.
extension StoryWriter {
    /// Writes a life cycle with at most the given number of periods.
    mutating func writeSubscription(periods: Int) {
        buy("basic", from: 0)
        if chance(10) { upload(at: 1_000) }
        tell("SUBSCRIBED", "INITIAL_BUY", at: now + between(1_000, chance(80) ? 1_000 : hour))
        for _ in 0..<periods {
            livePeriod()
            let isOver = current.revoked == nil ? !endPeriod() : !leaveRevoked()
            if isOver { return }
        }
    }

    /// Renews, fails or expires. Returns false if the story ends.
    private mutating func endPeriod() -> Bool {
        let commitmentEnds = current.commitment.map { $0.number >= $0.total } == true
        if commitmentEnds, renewal.commitmentAutoRenews == false {
            renewal.autoRenews = chance(50)
            return expire("VOLUNTARY", intent: 1, at: expiry + between(0, 2 * hour))
        }
        if !renewal.autoRenews { return expire("VOLUNTARY", intent: 1, at: expiry + between(0, 2 * hour)) }
        if chance(4) { return expire("PRODUCT_NOT_FOR_SALE", intent: 4, at: expiry + between(0, hour)) }
        if chance(35) { return failRenewal() }
        let told = chance(50) ? expiry - between(hour, day) : expiry + between(0, 150 * minute)
        buy(renewal.nextProduct, from: expiry, isRenewal: true)
        if told > current.start, chance(15) {
            upload(at: told - between(0, min(minute, told - current.start)))
        }
        let end = expiry - Self.length
        tell("DID_RENEW", at: told, withRenewal: !chance(4))
        if now < end - minute, chance(8) { upgrade(at: between(now, end - minute)) }
        return true
    }

    private mutating func expire(_ subtype: String, intent: Int64, at instant: Int64) -> Bool {
        status = 2
        renewal.isInRetry = false
        renewal.intent = intent
        if intent == 1 && kind != .commitment { renewal.autoRenews = false }
        if chance(50) { renewal.graceExpires = nil }
        tell("EXPIRED", subtype, at: instant, withRenewal: !chance(4))
        ask(between: now, now + 30 * day)
        guard chance(60) else { return false }
        resubscribe(at: max(now, expiry) + between(minute, 40 * day))
        return true
    }

    mutating func resubscribe(at instant: Int64) {
        if account != nil, chance(30) { account = ["A", "B"].randomElement(using: &random) }
        buy(chance(30) && kind != .items ? "pro" : "basic", from: instant / 1_000 * 1_000)
        tell("SUBSCRIBED", "RESUBSCRIBE", at: instant)
    }

    private mutating func failRenewal() -> Bool {
        renewal.isInRetry = true
        renewal.intent = 2
        let told = expiry + between(-12 * hour, hour)
        guard let graceDays else {
            status = 3
            tell("DID_FAIL_TO_RENEW", at: told, withRenewal: !chance(4))
            return retry()
        }
        status = 4
        let end = expiry + graceDays * day
        renewal.graceExpires = chance(80) ? end + (chance(20) ? hour : 0) : nil
        tell("DID_FAIL_TO_RENEW", "GRACE_PERIOD", at: told)
        ask(between: now, end - 2 * day)
        return grace(until: end)
    }

    private mutating func grace(until end: Int64) -> Bool {
        if chance(30) {
            renewal.autoRenews.toggle()
            tell("DID_CHANGE_RENEWAL_STATUS", at: between(now, end - hour))
            renewal.autoRenews = true
        }
        if chance(40) { return recover(at: between(max(now, expiry), end - minute), from: expiry) }
        if chance(30) { return expire("VOLUNTARY", intent: 1, at: between(max(now, expiry) + hour, end - minute)) }
        status = 3
        renewal.graceExpires = nil
        tell("GRACE_PERIOD_EXPIRED", at: end + between(0, hour))
        return retry()
    }

    private mutating func retry() -> Bool {
        let end = expiry + (kind == .commitment ? 90 : 60) * day
        ask(between: now, end - 2 * day)
        let moment = between(max(now, expiry) + hour, end - hour)
        if chance(45) { return recover(at: moment, from: moment / 1_000 * 1_000) }
        if chance(30) { return expire("VOLUNTARY", intent: 1, at: moment) }
        return expire("BILLING_RETRY", intent: 2, at: end + between(0, 3 * day))
    }

    private mutating func recover(at told: Int64, from start: Int64) -> Bool {
        buy(renewal.nextProduct, from: start, isRenewal: true)
        if chance(15) { upload(at: told - between(0, minute)) }
        tell("DID_RENEW", "BILLING_RECOVERY", at: told)
        return true
    }

    /// Reverses the refund, or lets the customer buy again. Returns false if the story ends.
    private mutating func leaveRevoked() -> Bool {
        if chance(40), kind != .family, !current.isSeatAddition {
            let index = transactions.count - 1
            transactions[index].revoked = nil
            transactions[index].revocationType = nil
            let moment = now + between(hour, 40 * day)
            status = moment < expiry ? 1 : 2
            if status == 2 { renewal.intent = 1 }
            tell("REFUND_REVERSED", at: moment)
            if status == 1 { return true }
        }
        guard chance(60) else { return false }
        // After an addition of seats, a purchase within the refunded period would overlap it (app-store.md 3.10).
        resubscribe(at: (kind == .seats ? max(now, expiry) : now) + between(minute, 20 * day))
        return true
    }
}
