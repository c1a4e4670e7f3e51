internal import AppStoreModel
internal import Records

/// Matches notifications about the same event in the two streams, and collects those without a counterpart.
///
/// Two notifications match if they have the same app, purchase, transaction and type and were received within the
/// tolerance. Notifications with the same subtype are matched first, then the others, each with the nearest one in
/// time.
struct TwinMatching: Sendable {
    struct Pair: Sendable, Equatable {
        let signed: TwinNotification
        let sharedSecret: TwinNotification
    }

    private(set) var pairs: [Pair] = []
    /// The notifications without a counterpart, in the order of receipt.
    private(set) var unmatched: [TwinNotification] = []

    /// - Parameter toleranceMilliseconds: the maximum time between receiving the two notifications of a pair.
    init(_ notifications: [TwinNotification], toleranceMilliseconds: Int64) {
        for group in Dictionary(grouping: notifications, by: \.event).values {
            match(Self.withoutRepetitions(group), toleranceMilliseconds)
        }
        pairs.sort { Self.isEarlier($0.signed, $1.signed) }
        unmatched.sort(by: Self.isEarlier)
    }

    /// Returns an event's notifications in the order of receipt, keeping only the first with each notificationUUID.
    private static func withoutRepetitions(_ group: [TwinNotification]) -> [TwinNotification] {
        var seen: Set<NotificationUUID> = []
        return group.sorted(by: isEarlier).filter { seen.insert($0.notificationUUID).inserted }
    }

    private mutating func match(_ group: [TwinNotification], _ tolerance: Int64) {
        var signed = group.filter { $0.trust == .signed }
        var sharedSecret = group.filter { $0.trust == .sharedSecret }
        for isSameSubtype in [true, false] {
            var left: [TwinNotification] = []
            for notification in sharedSecret {
                let candidates = signed.indices.filter { index in
                    (!isSameSubtype || signed[index].subtype == notification.subtype)
                        && Self.distance(signed[index], notification) <= tolerance
                }
                let nearest = candidates.min {
                    Self.distance(signed[$0], notification) < Self.distance(signed[$1], notification)
                }
                guard let nearest else {
                    left.append(notification)
                    continue
                }
                pairs.append(Pair(signed: signed.remove(at: nearest), sharedSecret: notification))
            }
            sharedSecret = left
        }
        unmatched += signed + sharedSecret
    }

    private static func distance(_ one: TwinNotification, _ other: TwinNotification) -> Int64 {
        abs(one.receivedAt.milliseconds(to: other.receivedAt))  // no overflow: dates are bounded
    }

    private static func isEarlier(_ one: TwinNotification, _ other: TwinNotification) -> Bool {
        (one.receivedAt, one.notificationUUID) < (other.receivedAt, other.notificationUUID)
    }
}
