package import AppStoreModel
package import EntitlementRules

/// The cause of a state change.
package enum StoryCause: Hashable, Sendable {
    /// A notification at a position in its topic.
    case notification(uuid: String?, type: String, position: String)
    /// A published state with facts that are in none of the searched notifications, such as facts from an app's upload
    /// or Apple's response.
    case publication(position: String)
    /// A tombstone in the state topic, which erases all facts signed up to a time.
    case erasure(position: String)
    /// Time has passed; the facts have not changed since the previous cause.
    case time
}

/// Facts, with the time when they became known.
package struct StoryInput: Sendable {
    package let at: AppStoreInstant
    package let facts: PurchaseFacts
    package let cause: StoryCause

    package init(at: AppStoreInstant, facts: PurchaseFacts, cause: StoryCause) {
        self.at = at
        self.facts = facts
        self.cause = cause
    }

    var isNotification: Bool { if case .notification = cause { true } else { false } }
}

/// A change in a purchase's state.
package struct StoryChange: Hashable, Sendable {
    package let at: AppStoreInstant
    package let cause: StoryCause
    /// The origin of the decisive facts: the last cause other than ``StoryCause/time``.
    package let origin: StoryCause?
    package let before: [Standing]
    package let after: [Standing]
}

/// Replays the facts of one purchase through the rules, in the order in which they became known.
package struct StoryReplay: Sendable {
    /// The maximum number of changes. A purchase has a few per period.
    static let maximumChanges = 10_000

    package private(set) var changes: [StoryChange] = []
    /// All facts, or nil before the first input.
    package private(set) var facts: PurchaseFacts?
    /// Whether the changes cover the time up to the requested end.
    package private(set) var isComplete = true

    private let rules: ProductRules
    private var standings: [Standing] = []
    private var moment = AppStoreInstant.earliest
    private var origin: StoryCause?

    /// - Parameters:
    ///   - inputs: the facts of one purchase, in ascending order of time.
    ///   - end: the time up to which changes caused by time alone are computed.
    package init(_ inputs: [StoryInput], until end: AppStoreInstant, rules: ProductRules) {
        self.rules = rules
        for input in inputs where input.at <= end {
            let at = max(input.at, moment)
            // Exclude a change at `at` itself, because the input's facts determine the state at that time.
            pass { $0 < at }
            merge(input, at: at)
        }
        pass { $0 <= end }
    }

    private mutating func merge(_ input: StoryInput, at: AppStoreInstant) {
        moment = at
        guard var known = facts else {
            facts = input.facts
            origin = input.cause
            record(at: at, input.cause)
            return
        }
        let before = outlook(of: known, at: at)
        guard known.merge(input.facts).isChanged else { return }
        facts = known
        if outlook(of: known, at: at) != before { origin = input.cause }
        record(at: at, input.cause)
    }

    /// The state at a given time, and the state to which it will change without new facts. New facts may affect only
    /// the second one.
    private struct Outlook: Equatable {
        var now: [Standing]
        var nextChange: AppStoreInstant?
        var next: [Standing]
    }

    private func outlook(of facts: PurchaseFacts, at: AppStoreInstant) -> Outlook {
        let (now, nextChange) = facts.standings(at: at, rules: rules)
        let next = nextChange.map { facts.standings(at: $0, rules: rules).standings } ?? []
        return Outlook(now: now, nextChange: nextChange, next: next)
    }

    /// Adds the changes caused by time alone, as long as `isReached` returns true for their times.
    private mutating func pass(_ isReached: (AppStoreInstant) -> Bool) {
        guard let facts else { return }
        while let next = facts.standings(at: moment, rules: rules).nextChange, isReached(next) {
            guard changes.count < Self.maximumChanges, next > moment else {
                isComplete = false
                return
            }
            moment = next
            record(at: next, .time)
        }
    }

    private mutating func record(at: AppStoreInstant, _ cause: StoryCause) {
        guard let facts else { return }
        let now = facts.standings(at: at, rules: rules).standings
        guard now.map(\.withoutTransaction) != standings.map(\.withoutTransaction) else { return }
        changes.append(StoryChange(at: at, cause: cause, origin: origin, before: standings, after: now))
        standings = now
    }
}

extension Standing {
    /// The standing without its transaction ID, for comparison. A new ID alone is not a change: if a renewal takes
    /// effect, the end of the standing also changes.
    fileprivate var withoutTransaction: Standing {
        var standing = self
        standing.transactionId = TransactionId("")
        return standing
    }
}
