/// Version 1 bodies that correspond to a version 2 notification (app-store.md 6.5, 12.3).
extension StatedBody {
    /// - Parameter last: the previous body, if any.
    static func told(_ statement: AppleStatement, _ snapshot: AppleSnapshot, after last: StatedBody?) -> [StatedBody] {
        guard let type = statement.type, let newest = snapshot.newest, let about = statement.transaction else {
            return []
        }
        let changed = body("DID_CHANGE_RENEWAL_STATUS", nil, newest, snapshot, date: statement.signed)
        func bought(_ type: String, _ subtype: String?) -> StatedBody {
            body(type, subtype, newest, snapshot, date: newest.start)
        }
        switch (type, statement.subtype) {
        case ("SUBSCRIBED", "INITIAL_BUY"), ("DID_RENEW", _): return [bought(type, statement.subtype)]
        case ("SUBSCRIBED", _):
            // Version 1 does not report a purchase of the same product.
            return last?.transaction.product == newest.product
                ? [changed] : [bought(type, statement.subtype), changed]
        case ("DID_CHANGE_RENEWAL_PREF", "UPGRADE"): return [changed, bought(type, statement.subtype)]
        case ("DID_CHANGE_RENEWAL_PREF", _):
            let dates = snapshot.transactions.map { max($0.start, $0.revoked ?? 0) }
            return [body(type, statement.subtype, newest, snapshot, date: dates.max() ?? 0)]
        case ("DID_FAIL_TO_RENEW", _):
            return [body(type, statement.subtype, newest, snapshot, date: newest.expires ?? 0)]
        case ("DID_CHANGE_RENEWAL_STATUS", _), ("EXPIRED", "VOLUNTARY"), ("EXPIRED", "BILLING_RETRY"): return [changed]
        case ("REFUND", _):
            let cancelled = body(type, nil, about, snapshot, date: about.revoked ?? statement.signed)
            return statement.status == 5 && about.id == newest.id ? [cancelled, changed] : [cancelled]
        default: return []
        }
    }

    private static func body(
        _ type: String, _ subtype: String?, _ transaction: StatedTransaction, _ snapshot: AppleSnapshot,
        date: Int64
    ) -> StatedBody {
        let candidates = snapshot.transactions.filter { !$0.isUpgraded }
        let newest = candidates.max { $0.start < $1.start } ?? transaction
        var renewal = snapshot.renewal
        renewal.renewalDate = newest.expires ?? 0
        // The date remains after the last retry and is valid only with the flag.
        if renewal.isInRetry != true { renewal.graceExpires = nil }
        var subject = transaction
        // The refund of the unused part belongs to the upgrade.
        if subject.isUpgraded { subject.revoked = nil }
        return StatedBody(
            type: type, subtype: subtype, received: 0, date: date, transaction: subject, renewal: renewal,
            newestStart: newest.start)
    }
}
