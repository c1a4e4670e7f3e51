/// Events within a period.
extension StoryWriter {
    mutating func livePeriod() {
        for _ in 0..<between(0, 2) where current.revoked == nil && now < expiry - 2 * day {
            let moment = between(max(now, current.start) + hour, expiry - day - hour)
            switch between(0, 9) {
            case 0: refundCurrent(at: moment)
            case 1: refundEarlier(at: moment)
            case 2: upgrade(at: moment)
            case 3: changeNextProduct(at: moment)
            case 4, 5: changeRenewal(at: moment)
            case 6: extend(at: moment)
            case 7: tell("CONSUMPTION_REQUEST", at: moment, about: Int(between(0, Int64(transactions.count) - 1)))
            case 8: ask(between: moment, moment + hour)
            default: kind == .items ? refundItem(at: moment) : changeSeats(at: moment)
            }
        }
    }

    private mutating func refundCurrent(at moment: Int64) {
        let isFamily = kind == .family
        let (end, start) = (current.expires, current.start)
        // A refund of a period with several transactions updates each of them.
        let indices = transactions.indices.filter {
            transactions[$0].expires == end && !transactions[$0].isUpgraded && transactions[$0].revoked == nil
                && (kind == .seats || transactions[$0].start == start)
        }
        let revokesAll = chance(80)
        for (offset, index) in indices.enumerated() {
            if !revokesAll && index == indices.first { continue }
            transactions[index].revoked = (moment - between(0, minute)) / 1_000 * 1_000
            transactions[index].revocationType = isFamily ? "FAMILY_REVOKE" : "REFUND_PRORATED"
            let isLast = (revokesAll || indices.count > 1) && offset == indices.count - 1 && revokesAll
            if isLast {
                status = 5
                renewal.autoRenews = false
            }
            tell(isFamily ? "REVOKE" : "REFUND", at: moment, about: index)
        }
    }

    /// Refunds an item of the current or an earlier transaction, with or without revoking it, or reverses the refund.
    private mutating func refundItem(at moment: Int64) {
        let index = chance(80) ? transactions.count - 1 : Int(between(0, Int64(transactions.count) - 1))
        let item = Int(between(0, 1))
        let isReversal = transactions[index].items[item].isRefunded
        transactions[index].items[item].isRefunded = !isReversal
        let isRevoked = !isReversal && chance(60)
        transactions[index].items[item].revoked = isRevoked ? (moment - between(0, minute)) / 1_000 * 1_000 : nil
        tell(isReversal ? "REFUND_REVERSED" : "REFUND", at: moment, about: index)
    }

    private mutating func refundEarlier(at moment: Int64) {
        guard let index = transactions.indices.dropLast().first(where: { transactions[$0].revoked == nil }),
            (transactions[index].expires ?? 0) <= current.start || transactions[index].isUpgraded
        else { return }
        transactions[index].revoked = moment / 1_000 * 1_000
        tell("REFUND", at: moment, about: index, status: chance(30) ? 5 : status)
    }

    mutating func upgrade(at moment: Int64) {
        guard kind == .subscription, current.product == "basic" else { return }
        for index in transactions.indices where (transactions[index].expires ?? 0) > moment {
            transactions[index].isUpgraded = true
        }
        if account != nil, chance(20) { account = "B" }
        buy("pro", from: moment / 1_000 * 1_000)
        tell(chance(80) ? "DID_CHANGE_RENEWAL_PREF" : "OFFER_REDEEMED", "UPGRADE", at: moment)
    }

    private mutating func changeNextProduct(at moment: Int64) {
        guard kind == .subscription || kind == .seats, current.product == "pro" else { return }
        renewal.nextProduct = renewal.nextProduct == "pro" ? "basic" : "pro"
        tell("DID_CHANGE_RENEWAL_PREF", renewal.nextProduct == "pro" ? nil : "DOWNGRADE", at: moment)
    }

    private mutating func changeRenewal(at moment: Int64) {
        let isOn: Bool
        if kind == .commitment {
            isOn = renewal.commitmentAutoRenews == false
            renewal.commitmentAutoRenews = isOn
        } else {
            isOn = !renewal.autoRenews
            renewal.autoRenews = isOn
        }
        tell("DID_CHANGE_RENEWAL_STATUS", isOn ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED", at: moment)
    }

    private mutating func extend(at moment: Int64) {
        guard kind == .subscription || kind == .family, let index = transactions.indices.last else { return }
        let end = expiry + between(1, 60) * day
        transactions[index].expires = end
        renewal.renewalDate = end
        tell("RENEWAL_EXTENDED", at: moment)
    }

    /// Adds seats, which marks all transactions of the period in their later statements, or refunds a seat.
    private mutating func changeSeats(at moment: Int64) {
        guard kind == .seats, let index = transactions.indices.last else { return }
        if chance(40), transactions[index].quantity - transactions[index].revokedSeats > 1 {
            transactions[index].revokedSeats += 1
            return tell("REFUND", "SEATS", at: moment, about: index)
        }
        let end = expiry
        for index in transactions.indices where transactions[index].expires == end {
            transactions[index].isSeatAddition = true
        }
        let next = renewal
        buy(current.product, from: moment / 1_000 * 1_000)
        transactions[index + 1].expires = end
        transactions[index + 1].isSeatAddition = true
        renewal = next
        tell("DID_CHANGE_RENEWAL_PREF", "INCREASE_QUANTITY", at: moment)
    }
}
