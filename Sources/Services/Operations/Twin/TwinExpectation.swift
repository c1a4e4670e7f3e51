internal import AppStoreModel
internal import Records

/// Which notifications have no counterpart by Apple's design, so that their absence says nothing about the move.
struct TwinExpectation: Sendable {
    /// Types of version 2 that version 1 never tells. An expiry it tells only after failed renewals.
    static let unknownToVersion1: Set<NotificationType> = [
        .offerRedeemed, .gracePeriodExpired, .refundDeclined, .refundReversed, .renewalExtended, .renewalExtension,
        .oneTimeCharge, .test, .externalPurchaseToken, .rescindConsent, .metadataUpdate, .migration, .priceChange,
        .expired,
    ]
    /// Version 1 sends it beside the notification of an upgrade, a resubscription or a refund.
    private static let accompanying = "DID_CHANGE_RENEWAL_STATUS"

    private struct Purchase: Hashable {
        let bundleId: BundleId
        let originalTransactionId: OriginalTransactionId?
    }

    private let unsigned: [Purchase: [TwinNotification]]
    private let tolerance: Int64

    init(_ notifications: [TwinNotification], toleranceMilliseconds: Int64) {
        unsigned = Dictionary(grouping: notifications.filter { $0.trust == .sharedSecret }, by: Self.purchase)
        tolerance = toleranceMilliseconds
    }

    /// Whether the other stream has nothing of the kind.
    func isExpected(_ unmatched: TwinNotification) -> Bool {
        switch unmatched.trust {
        case .signed: return Self.unknownToVersion1.contains(unmatched.event.type)
        case .sharedSecret:
            guard unmatched.rawType == Self.accompanying else { return false }
            return (unsigned[Self.purchase(unmatched)] ?? []).contains {
                $0.rawType != Self.accompanying
                    && abs($0.receivedAt.milliseconds(to: unmatched.receivedAt)) <= tolerance
            }
        }
    }

    private static func purchase(_ notification: TwinNotification) -> Purchase {
        Purchase(
            bundleId: notification.event.bundleId, originalTransactionId: notification.event.originalTransactionId)
    }
}
