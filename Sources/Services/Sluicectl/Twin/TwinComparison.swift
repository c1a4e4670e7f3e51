internal import AppStoreModel
internal import Records

/// The agreements and differences between the signed stream and the version 1 stream in a time range.
struct TwinComparison: Sendable {
    /// Counts for one notification type, under its version 2 name.
    struct TypeCounts: Sendable, Equatable {
        /// The number of notifications sent in both streams.
        var both = 0
        /// The number of notifications sent in both streams, but with different subtypes.
        var otherSubtype = 0
        var onlySigned = 0
        var onlySharedSecret = 0
        /// The number of notifications in the two counts above that, by Apple's design, have no counterpart.
        var expected = 0

        var isSame: Bool { onlySigned + onlySharedSecret == expected }
    }

    /// A notification without a counterpart.
    struct Lone: Sendable, Equatable {
        let notification: TwinNotification
        /// Whether, by Apple's design, the notification has no counterpart.
        let isExpected: Bool
    }

    let environment: AppStoreEnvironment
    let from: AppStoreInstant?
    let to: AppStoreInstant
    private(set) var types: [NotificationType: TypeCounts] = [:]
    /// The notifications without a counterpart, in the order of receipt.
    private(set) var lone: [Lone] = []
    let states: TwinStates.Result

    /// - Parameters:
    ///   - notifications: the notifications to compare. Notifications within the tolerance before `from` or after `to`
    ///     can be counterparts but are not counted themselves.
    ///   - states: the states that result from the notifications received in the range.
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

    /// Whether every notification for which Apple sends a counterpart has one, and every purchase has the same state in
    /// both streams.
    var isSame: Bool { types.values.allSatisfy(\.isSame) && states.differences.isEmpty }
}
