internal import AppStoreModel
internal import Records

/// The agreements and differences of the signed and the version 1 stream over a time range.
struct TwinComparison: Sendable {
    /// Counts of one notification type, by its version 2 name.
    struct TypeCounts: Sendable, Equatable {
        /// Sent by both.
        var both = 0
        /// Sent by both, with different subtypes.
        var otherSubtype = 0
        var onlySigned = 0
        var onlySharedSecret = 0
        /// Part of the two counts above that has no counterpart by Apple's design.
        var expected = 0

        var isSame: Bool { onlySigned + onlySharedSecret == expected }
    }

    /// A notification without counterpart.
    struct Lone: Sendable, Equatable {
        let notification: TwinNotification
        /// Whether the other stream sends no such notification, by Apple's design.
        let isExpected: Bool
    }

    let environment: AppStoreEnvironment
    let from: AppStoreInstant?
    let to: AppStoreInstant
    private(set) var types: [NotificationType: TypeCounts] = [:]
    /// In order of receipt.
    private(set) var lone: [Lone] = []
    let states: TwinStates.Result

    /// - Parameters:
    ///   - notifications: includes those received up to the tolerance before `from` and after `to`: they can be
    ///     counterparts, and are not counted themselves.
    ///   - states: states of the notifications received in the range.
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

    /// Whether no expected notification is missing, and every purchase of both streams has the same state.
    var isSame: Bool { types.values.allSatisfy(\.isSame) && states.differences.isEmpty }
}
