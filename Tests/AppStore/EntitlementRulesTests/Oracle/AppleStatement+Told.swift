extension StatedTransaction {
    /// Returns a monthly transaction that begins on the given day.
    static func monthly(_ id: String, from start: Double, _ product: String = "basic") -> StatedTransaction {
        let begin = Int64(start * 86_400_000)
        return StatedTransaction(id: id, product: product, start: begin, expires: begin + 30 * day)
    }

    /// Returns the transaction as signed by Apple after a refund on the given day.
    func refunded(on date: Double, percentage: Int64? = nil) -> StatedTransaction {
        var copy = self
        copy.revoked = Int64(date * 86_400_000)
        copy.revocationPercentage = percentage
        return copy
    }
}

extension AppleStatement {
    /// Returns a notification signed on the given day. Its renewal info describes an active, renewing subscription
    /// except for the given changes. One-time purchases have neither status nor renewal info.
    static func told(
        _ type: String, _ subtype: String? = nil, on date: Double, _ status: Int?, _ transaction: StatedTransaction,
        _ change: (inout StatedRenewal) -> Void = { _ in }
    ) -> AppleStatement {
        let signed = Int64(date * 86_400_000)
        var copy = transaction
        copy.signed = signed
        var renewal = StatedRenewal(
            signed: signed, product: copy.product, nextProduct: copy.product, renewalDate: copy.expires ?? 0)
        change(&renewal)
        return AppleStatement(
            type: type, subtype: subtype, signed: signed, status: status, transaction: copy,
            renewal: status == nil ? nil : renewal)
    }
}
