internal import AppStoreModel
internal import Records

/// What the signed stream and that of version 1 have in common, and where they differ, over a time.
struct TwinComparison: Sendable {
    /// Of one type as version 2 names it.
    struct TypeCounts: Sendable, Equatable {
        /// Told by both.
        var both = 0
        /// Of those, told with different subtypes.
        var otherSubtype = 0
        var onlySigned = 0
        var onlySharedSecret = 0
        /// Of the two before, those that have no counterpart by Apple's design.
        var expected = 0

        var isSame: Bool { onlySigned + onlySharedSecret == expected }
    }

    /// Without counterpart.
    struct Lone: Sendable, Equatable {
        let notification: TwinNotification
        /// The other stream has nothing of the kind, by Apple's design.
        let isExpected: Bool
    }

    let environment: AppStoreEnvironment
    let from: AppStoreInstant?
    let to: AppStoreInstant
    private(set) var types: [NotificationType: TypeCounts] = [:]
    /// In the order of receipt.
    private(set) var lone: [Lone] = []
    let states: TwinStates.Result

    /// - Parameters:
    ///   - notifications: also those that were received up to the tolerance before `from` and after `to`: they are
    ///     counterparts of what was received between, and are not counted themselves.
    ///   - states: of what was received between.
    init(
        _ notifications: [TwinNotification], states: TwinStates, environment: AppStoreEnvironment,
        from: AppStoreInstant?, to: AppStoreInstant, toleranceMilliseconds: Int64
    ) {
        self.environment = environment
        self.from = from
        self.to = to
        self.states = states.result(at: to)
        let isInside = { (notification: TwinNotification) in
            (from.map { $0 <= notification.receivedAt } ?? true) && notification.receivedAt < to
        }
        let matching = TwinMatching(notifications, toleranceMilliseconds: toleranceMilliseconds)
        for pair in matching.pairs where isInside(pair.signed) || isInside(pair.sharedSecret) {
            types[pair.signed.event.type, default: TypeCounts()].both += 1
            if pair.signed.subtype != pair.sharedSecret.subtype {
                types[pair.signed.event.type, default: TypeCounts()].otherSubtype += 1
            }
        }
        let expectation = TwinExpectation(
            notifications, in: environment, toleranceMilliseconds: toleranceMilliseconds)
        for notification in matching.unmatched where isInside(notification) {
            add(Lone(notification: notification, isExpected: expectation.isExpected(notification)))
        }
    }

    private mutating func add(_ one: Lone) {
        lone.append(one)
        var counts = types[one.notification.event.type] ?? TypeCounts()
        switch one.notification.trust {
        case .signed: counts.onlySigned += 1
        case .sharedSecret: counts.onlySharedSecret += 1
        }
        if one.isExpected { counts.expected += 1 }
        types[one.notification.event.type] = counts
    }

    /// Nothing is missing that should be there, and every purchase of both has one state.
    var isSame: Bool { types.values.allSatisfy(\.isSame) && states.differences.isEmpty }
}
