package import AppStoreModel

/// How signed facts and those of version 1 notifications go together.
extension PurchaseFacts {
    /// Until when version 1 notifications say something that no signed fact about the same object covers: what Apple is
    /// to be asked about. Nil for nothing. An object is covered by a signed statement of the same date or a later one.
    package var unconfirmedUpTo: AppStoreInstant? {
        guard let legacy, !legacy.isSettled else { return nil }
        var latest: AppStoreInstant?
        func consider(_ date: AppStoreInstant, coveredBy signed: AppStoreInstant?) {
            if let signed, signed >= date { return }
            latest = max(latest ?? date, date)
        }
        for transaction in legacy.transactions.values {
            consider(
                transaction.version.signedDate, coveredBy: transactions[transaction.key]?.version.signedDate)
        }
        if let facts = legacy.renewal {
            consider(facts.version.signedDate, coveredBy: renewal?.version.signedDate)
        }
        if let facts = legacy.status { consider(facts.version.signedDate, coveredBy: status?.version.signedDate) }
        return latest
    }

    /// Transactions of which version 1 notifications say something that no signed statement covers, the latest by date
    /// first.
    package var uncoveredTransactions: [TransactionFacts] {
        (legacy?.transactions.values ?? []).filter { unsigned in
            transactions[unsigned.key].map { $0.version.signedDate < unsigned.version.signedDate } ?? true
        }.sorted { ($1.version, $1.key) < ($0.version, $0.key) }
    }

    /// Transactions that only version 1 notifications name, the latest by date first.
    package var unsignedTransactions: [TransactionFacts] {
        guard let legacy else { return [] }
        return legacy.transactions.values.filter { transactions[$0.key] == nil }
            .sorted { ($1.version, $1.key) < ($0.version, $0.key) }
    }

    /// The same with what version 1 notifications say of objects about which nothing is signed.
    var withLegacyFacts: PurchaseFacts {
        guard let legacy else { return self }
        var result = self
        result.add(unsignedTransactions, renewal: legacy.renewal, status: legacy.status)
        return result
    }

    /// Whether Apple signed anything about it.
    package var hasSignedFacts: Bool { !transactions.isEmpty || renewal != nil || status != nil }

    /// Notifications that concerned this purchase, signed or not, oldest first.
    package var allEvents: [PurchaseEvent] {
        guard let legacy, !legacy.events.isEmpty else { return events }
        return (events + legacy.events).sorted { PurchaseEvent.isOlder($0, than: $1) }
    }
}
