package import AppStoreModel
package import EntitlementRules
package import JSON

/// The state of a story's purchases at a given time, and the reason for it.
package struct StoryAnswer: Sendable {
    package struct Purchase: Sendable {
        package let key: String
        /// The state known to this installation at that time. Empty if unknown.
        package let standings: [Standing]
        /// The change that led to the state, or nil if the purchase was unknown.
        package let change: StoryChange?
        /// The state at that time according to everything known now, if it differs.
        package let asKnownNow: [Standing]?
        /// All changes up to that time, oldest first, or only the given entitlement's changes.
        package let changes: [StoryChange]
    }

    package let at: AppStoreInstant
    package let entitlement: String?
    package let purchases: [Purchase]

    /// - Parameter entitlement: the entitlement to which the answer is limited; nil means all.
    package init(_ story: Story, at moment: AppStoreInstant, entitlement: String?, rules: ProductRules) {
        at = moment
        self.entitlement = entitlement
        func wanted(_ standings: [Standing]) -> [Standing] {
            guard let entitlement else { return standings }
            return standings.filter { $0.entitlements.contains(entitlement) }
        }
        purchases = story.purchases.compactMap { purchase in
            let changes = purchase.changes.filter { $0.at <= moment }.map { change in
                StoryChange(
                    at: change.at, cause: change.cause, origin: change.origin, before: wanted(change.before),
                    after: wanted(change.after))
            }.filter { $0.before != $0.after }
            let standings = changes.last?.after ?? []
            let later = purchase.facts.map { wanted($0.standings(at: moment, rules: rules, view: .history).standings) }
            guard !changes.isEmpty || !(later ?? []).isEmpty else { return nil }
            let isOther = later.map { Self.isOther($0, than: standings) } ?? false
            return Purchase(
                key: purchase.key, standings: standings, change: changes.last, asKnownNow: isOther ? later : nil,
                changes: changes)
        }
    }

    /// Returns whether the customer would see two states as different. A different rule or transaction alone does not
    /// count.
    private static func isOther(_ one: [Standing], than other: [Standing]) -> Bool {
        one.map { [$0.state, "\($0.isEntitled)"] + $0.entitlements }
            != other.map { [$0.state, "\($0.isEntitled)"] + $0.entitlements }
    }

    package var json: JSONObject {
        var object: JSONObject = [StoryName.at: .string(at.description)]
        if let entitlement {
            object[StoryName.entitlement] = .string(entitlement)
            object[StoryName.isEntitled] = .bool(isEntitled)
        }
        object[StoryName.purchases] = .array(purchases.map { .object($0.json) })
        return object
    }

    /// Whether any of the states grants an entitlement.
    package var isEntitled: Bool { purchases.contains { $0.standings.contains(where: \.isEntitled) } }
}

extension StoryAnswer.Purchase {
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            StoryName.purchase: .string(key), StoryName.now: .array(standings.map { .object($0.json) }),
        ]
        if let change {
            object[StoryName.last] = .object(change.json)
        }
        if let asKnownNow { object[StoryName.asKnownNow] = .array(asKnownNow.map { .object($0.json) }) }
        object[StoryName.changes] = .array(changes.map { .object($0.json) })
        return object
    }
}

extension StoryChange {
    var json: JSONObject {
        var object: JSONObject = [StoryName.at: .string(at.description), StoryName.cause: .object(cause.json)]
        if cause == .time, let origin { object[StoryName.facts] = .object(origin.json) }
        object[StoryName.before] = .array(before.map { .object($0.json) })
        object[StoryName.after] = .array(after.map { .object($0.json) })
        return object
    }
}
