package import AppStoreModel

extension EntitlementAnswer {
    /// Combines the answers for several environments into one answer, in which each grant, balance and report includes
    /// its environment. Backends whose customers include App Review and testers need the sandbox purchases, too.
    package static func union(of answers: [EntitlementAnswer], at instant: AppStoreInstant) -> EntitlementAnswer {
        if let only = answers.first, answers.count == 1 { return only }
        var union = EntitlementAnswer(asOf: instant)
        union.grants = answers.flatMap(\.grants).sorted { $0.entitlement < $1.entitlement }
        union.balances = answers.flatMap(\.balances)
        union.hasUnsignedBalance = answers.contains(where: \.hasUnsignedBalance)
        union.reports = answers.flatMap(\.reports)
        union.nextChange = answers.compactMap(\.nextChange).min()
        union.knownSince = answers.compactMap(\.knownSince).max()
        return union
    }
}
