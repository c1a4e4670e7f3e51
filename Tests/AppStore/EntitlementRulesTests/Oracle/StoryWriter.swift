import TestSupport

/// Writes Apple's statements about one purchase in signing order, and tracks the state of Apple's servers.
struct StoryWriter {
    static let length = 30 * day

    let kind: AccessStory.Kind
    var random: SeededGenerator
    var now: Int64 = 0
    var statements: [AppleStatement] = []
    /// Apple's state at the time of each statement's signing.
    var snapshots: [AppleSnapshot] = []
    var transactions: [StatedTransaction] = []
    var renewal = StatedRenewal(product: "basic", nextProduct: "basic", renewalDate: 0)
    var status = 1
    /// The account that the app passes at the purchase. Renewals repeat it.
    var account: String?
    /// The days of grace configured in App Store Connect, or nil without Billing Grace Period.
    var graceDays: Int64?

    init(kind: AccessStory.Kind, random: SeededGenerator) {
        self.kind = kind
        self.random = random
        account = kind == .family || chance(50) ? nil : "A"
        graceDays =
            kind == .commitment ? nil : [nil, 3, 16, 28].randomElement(using: &self.random) ?? nil
    }

    var current: StatedTransaction { transactions.last ?? StatedTransaction(id: "0", product: "basic", start: 0) }

    mutating func chance(_ percent: Int64) -> Bool { Int64.random(in: 0..<100, using: &random) < percent }

    mutating func between(_ low: Int64, _ high: Int64) -> Int64 {
        low < high ? Int64.random(in: low...high, using: &random) : low
    }

    /// Signs a statement about a transaction, by default the current one, at the given time or as soon as possible
    /// afterwards.
    mutating func tell(
        _ type: String?, _ subtype: String? = nil, at instant: Int64, about index: Int? = nil, status told: Int? = nil,
        withRenewal: Bool = true
    ) {
        now = max(instant / 1_000 * 1_000, now + 2_000)
        let nested = now - between(0, 900)
        let index = index ?? transactions.count - 1
        transactions[index].signed = nested
        renewal.signed = withRenewal ? nested : renewal.signed
        let isSubscription = transactions[index].type == StatedTransaction.subscription
        statements.append(
            AppleStatement(
                type: type, subtype: subtype, signed: now, status: isSubscription ? told ?? status : nil,
                transaction: transactions[index], renewal: isSubscription && withRenewal ? renewal : nil))
        snapshots.append(AppleSnapshot(transactions: transactions, renewal: renewal, status: status))
    }

    /// Signs a transaction that the app uploads, without status or renewal info.
    mutating func upload(at instant: Int64, about index: Int? = nil) {
        now = max(instant / 1_000 * 1_000, now + 2_000)
        let index = index ?? transactions.count - 1
        transactions[index].signed = now
        statements.append(AppleStatement(signed: now, transaction: transactions[index]))
        snapshots.append(AppleSnapshot(transactions: transactions, renewal: renewal, status: status))
    }

    /// Lets the app upload a transaction or Apple answer a query. Usually does neither.
    mutating func ask(between low: Int64, _ high: Int64) {
        guard chance(15), low < high else { return }
        if chance(50) { return tell(nil, at: between(low, high)) }
        upload(at: between(low, high), about: Int(between(0, Int64(transactions.count) - 1)))
    }

    /// Adds a transaction that begins at the given time and has not been reported yet.
    mutating func buy(_ product: String, from start: Int64, isRenewal: Bool = false) {
        var next = StatedTransaction(
            id: String(1001 + transactions.count), product: product, start: start)
        next.expires = start + Self.length
        (next.account, next.isRenewal) = (account, isRenewal)
        next.quantity = kind == .seats ? between(1, 9) : 1
        if kind == .items { next.items = [StatedItem(sku: "A"), StatedItem(sku: "B")] }
        if kind == .family { next.ownership = "FAMILY_SHARED" }
        if kind == .commitment {
            let last = current.commitment
            let isNew = status == 2 || status == 5 || last.map { $0.number >= $0.total } ?? true
            let number = isNew ? 1 : (last?.number ?? 0) + 1
            // After a failed charge was recovered, later renewals postpone the end of the commitment.
            next.commitment = StatedCommitment(
                number: number, total: 4, expires: start + (5 - number) * Self.length)
        }
        transactions.append(next)
        let willCommit = kind == .commitment ? renewal.commitmentAutoRenews ?? true : nil
        renewal = StatedRenewal(product: product, nextProduct: product, renewalDate: start + Self.length)
        renewal.commitmentAutoRenews = willCommit
        status = 1
    }

    var expiry: Int64 { current.expires ?? 0 }
}
