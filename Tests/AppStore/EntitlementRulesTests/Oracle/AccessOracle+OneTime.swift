/// One-time products (app-store.md 11.5, 11.6).
extension AccessOracle {
    func oneTimeAnswer(_ transaction: StatedTransaction, _ instant: Int64) -> AccessAnswer {
        var answer = AccessAnswer(isEntitled: false, state: "REVOKED", product: transaction.product)
        let isRevoked = transaction.isRevoked(at: instant)
        if transaction.type == StatedTransaction.consumable {
            answer.credited = transaction.quantity
            answer.debited = isRevoked ? Self.debit(transaction) : 0
            answer.state = answer.debited == 0 ? "CREDITED" : "PARTLY_REFUNDED"
            if answer.debited == answer.credited { answer.state = "REFUNDED" }
            return answer
        }
        if isRevoked { return answer }
        let end = transaction.type == StatedTransaction.pass ? transaction.start + settings.passDays * day : nil
        answer.isEntitled = end.map { $0 > instant } ?? true
        answer.state = answer.isEntitled ? "OWNED" : "ENDED"
        answer.until = answer.isEntitled ? end : nil
        return answer
    }

    /// Returns the units debited by a refund. Apple's percentage of the whole quantity is rounded to the nearest unit.
    private static func debit(_ transaction: StatedTransaction) -> Int64 {
        (transaction.quantity * (transaction.revocationPercentage ?? 100_000) + 50_000) / 100_000
    }
}
