/// Access at a given time, computed from a set of statements according to app-store.md 11.2 to 11.6. It is written from
/// that text alone and shares no code with the rules. It keeps all statements and searches them for every query.
struct AccessOracle: Sendable {
    let settings: AccessSettings
    /// The newest statement about each transaction.
    let transactions: [StatedTransaction]
    let renewal: StatedRenewal?
    /// Statements with a status, oldest first.
    let statuses: [AppleStatement]
    /// Statements about upgrades.
    let upgrades: [AppleStatement]
    private let upgraded: Set<String>
    private let copies: [String: [StatedTransaction]]

    /// - Parameter instant: statements signed later are ignored.
    init(_ statements: [AppleStatement], asOf instant: Int64 = .max, settings: AccessSettings = AccessSettings()) {
        self.settings = settings
        let signed = statements.compactMap(\.transaction).filter { $0.signed <= instant }
        let copies = Dictionary(grouping: signed, by: \.id)
        self.copies = copies
        upgrades = statements.filter { $0.signed <= instant && $0.isUpgrade }
        transactions = copies.values.compactMap { $0.max { $0.signed < $1.signed } }
        renewal = statements.compactMap(\.renewal).filter { $0.signed <= instant }.max { $0.signed < $1.signed }
        statuses = statements.filter { $0.status != nil && $0.statusSigned <= instant }
            .sorted { $0.statusSigned < $1.statusSigned }
        upgraded = Self.upgraded(copies, by: upgrades)
    }

    /// Returns the transactions ended by an upgrade (11.4): those marked as upgraded, and those that were signed before
    /// an upgrade and expire after it begins, including a renewal for the coming period.
    private static func upgraded(
        _ copies: [String: [StatedTransaction]], by upgrades: [AppleStatement]
    ) -> Set<String> {
        var ids = Set(copies.filter { $0.value.max { $0.signed < $1.signed }?.isUpgraded == true }.keys)
        for upgrade in upgrades {
            for (id, copies) in copies where upgrade.replaces(copies) { ids.insert(id) }
        }
        return ids
    }

    func isReplaced(_ transaction: StatedTransaction, by upgrade: AppleStatement) -> Bool {
        upgrade.replaces(copies[transaction.id] ?? []) || transaction.isUpgraded
    }

    /// Returns nil before the first transaction. The specification does not cover the case that all transactions are
    /// upgraded (``isUndecided``).
    func answer(at instant: Int64) -> AccessAnswer? {
        guard let any = transactions.first else { return nil }
        return any.type == StatedTransaction.subscription
            ? subscriptionAnswer(at: instant) : oneTimeAnswer(any, instant)
    }

    /// Whether all known transactions are upgraded because the statement about the upgrade itself is late.
    var isUndecided: Bool { !transactions.isEmpty && candidates.isEmpty }

    /// Transactions that may be the current one, sorted by purchaseDate.
    var candidates: [StatedTransaction] {
        transactions.filter { !upgraded.contains($0.id) }
            .sorted { ($0.start, $0.expires ?? 0, $0.signed) < ($1.start, $1.expires ?? 0, $1.signed) }
    }
}

extension AppleStatement {
    /// Returns whether the upgrade replaces a transaction, given Apple's statements about that transaction.
    fileprivate func replaces(_ copies: [StatedTransaction]) -> Bool {
        guard let successor = transaction else { return false }
        return copies.contains {
            $0.id != successor.id && $0.signed < signed && ($0.expires ?? .max) > successor.start
        }
    }

    var isUpgrade: Bool {
        (type == "DID_CHANGE_RENEWAL_PREF" || type == "OFFER_REDEEMED") && subtype == "UPGRADE"
    }
}
