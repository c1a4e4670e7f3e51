import TestSupport

extension AccessStory {
    static let momentCount = 20

    /// Generates the story for a seed; it is the same in every run.
    static func random(seed: UInt64) -> AccessStory {
        var random = SeededGenerator(seed: seed)
        let kinds: [Kind] = Kind.allCases + [.subscription, .subscription, .subscription, .subscription]
        let kind = kinds.randomElement(using: &random) ?? .subscription
        var settings = AccessSettings()
        settings.renewalLeeway = (Bool.random(using: &random) ? 1 : 3) * hour
        settings.graceFallback = ([3, 16, 28].randomElement(using: &random) ?? 3) * day
        var writer = StoryWriter(kind: kind, random: random)
        switch kind {
        case .consumable: writer.writeOneTime(StatedTransaction.consumable)
        case .nonConsumable: writer.writeOneTime(StatedTransaction.nonConsumable)
        case .pass: writer.writeOneTime(StatedTransaction.pass)
        default: writer.writeSubscription(periods: Int(writer.between(1, 8)))
        }
        random = writer.random
        let deliveries = deliver(writer.statements, &random)
        var story = AccessStory(
            seed: seed, kind: kind, settings: settings, deliveries: deliveries,
            moments: moments(writer, settings, &random))
        if Int.random(in: 0..<100, using: &random) < 30 {
            story.version1 = writer.statements.filter { $0.type != nil && Bool.random(using: &random) }
        }
        story.claim = claim(writer, &random)
        return story
    }

    /// Generates a claim by another account at a time after the first purchase.
    private static func claim(_ writer: StoryWriter, _ random: inout SeededGenerator) -> StatedClaim? {
        guard writer.kind != .seats, Bool.random(using: &random),
            let last = writer.statements.last?.signed
        else {
            return nil
        }
        let moment = Int64.random(in: 10 * minute...last + day, using: &random) / 1_000 * 1_000
        let owner = AccessOracle(writer.statements).account(at: moment, nil)
        return StatedClaim(claimed: moment, account: "C", former: owner)
    }

    /// Types of statements that may be lost without leaving a purchase unknown.
    private static let losable: Set<String> = [
        "GRACE_PERIOD_EXPIRED", "EXPIRED", "DID_CHANGE_RENEWAL_STATUS", "CONSUMPTION_REQUEST",
    ]

    /// Delivers most statements immediately. Some are up to three days late, some are repeated, and a few are lost.
    private static func deliver(_ statements: [AppleStatement], _ random: inout SeededGenerator) -> [Delivery] {
        var deliveries: [Delivery] = []
        for (index, statement) in statements.enumerated() {
            let fate = Int.random(in: 0..<100, using: &random)
            let next = index + 1 < statements.count ? statements[index + 1] : nil
            if fate < 8, losable.contains(statement.type ?? ""), next?.type != nil || next?.status == nil { continue }
            let delay = fate < 20 ? Int64.random(in: hour...(3 * day), using: &random) : 0
            deliveries.append(Delivery(received: statement.signed + delay, statement: statement))
            if fate % 7 == 0 {
                deliveries.append(Delivery(received: statement.signed + delay + 13 * hour, statement: statement))
            }
        }
        return deliveries.sorted { $0.received < $1.received }
    }

    /// Generates times, half of them close to a change.
    private static func moments(
        _ writer: StoryWriter, _ settings: AccessSettings, _ random: inout SeededGenerator
    ) -> [Int64] {
        var edges = writer.statements.map(\.signed) + writer.transactions.map(\.start)
        edges += writer.transactions.compactMap(\.revoked) + writer.statements.compactMap(\.renewal?.graceExpires)
        for end in writer.transactions.compactMap(\.expires) {
            edges += [end, end + settings.renewalLeeway, end + settings.graceFallback, end + 60 * day, end + 90 * day]
        }
        let last = (edges.max() ?? 0) + 2 * day
        return (0..<momentCount).map { index in
            let edge = edges.randomElement(using: &random) ?? 0
            let shifts: [Int64] = [-1_000, 0, 1_000, hour, -hour]
            let shift = shifts.randomElement(using: &random) ?? 0
            let moment = index % 2 == 0 ? edge + shift : Int64.random(in: -day...last, using: &random)
            return moment / 1_000 * 1_000
        }
    }
}

extension StoryWriter {
    mutating func writeOneTime(_ type: String) {
        var bought = StatedTransaction(id: "1001", product: "item", type: type, start: 0)
        bought.account = account
        bought.quantity = type == StatedTransaction.consumable ? between(1, 9) : 1
        transactions = [bought]
        if chance(10) { upload(at: 1_000) }
        tell("ONE_TIME_CHARGE", at: now + 1_000)
        for _ in 0..<between(0, 2) {
            let share = between(1, bought.quantity)
            let moment = now + between(hour, 20 * day)
            transactions[0].revoked = (moment - between(0, minute)) / 1_000 * 1_000
            let isPartial = type == StatedTransaction.consumable && share < bought.quantity
            transactions[0].revocationType = isPartial ? "REFUND_PRORATED" : "REFUND_FULL"
            transactions[0].revocationPercentage = isPartial ? share * 100_000 / bought.quantity : nil
            let isReversed = chance(50)
            // A stored purchase does not include the date of a reversed refund, or an upload before the refund's
            // notification.
            if !isReversed, chance(20) { upload(at: moment) }
            tell("REFUND", at: moment)
            if chance(20) { upload(at: now + between(minute, 10 * day)) }
            guard isReversed else { return }
            transactions[0].revoked = nil
            transactions[0].revocationType = nil
            transactions[0].revocationPercentage = nil
            tell("REFUND_REVERSED", at: now + between(hour, 20 * day))
        }
    }
}
