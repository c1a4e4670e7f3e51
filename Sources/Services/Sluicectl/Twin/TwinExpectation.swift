internal import AppStoreModel
internal import Records

/// Recognizes notifications that, by Apple's design, have no counterpart, so that they are not reported as differences.
struct TwinExpectation: Sendable {
    /// Version 1 sends this type in addition to the upgrade, resubscription or refund notification.
    private static let accompanying = "DID_CHANGE_RENEWAL_STATUS"

    private struct Purchase: Hashable {
        let bundleId: BundleId
        let originalTransactionId: OriginalTransactionId?
    }

    private let environment: AppStoreEnvironment
    private let unsigned: [Purchase: [TwinNotification]]
    private let tolerance: Int64

    init(_ notifications: [TwinNotification], in environment: AppStoreEnvironment, toleranceMilliseconds: Int64) {
        self.environment = environment
        unsigned = Dictionary(grouping: notifications.filter { $0.trust == .sharedSecret }, by: Self.purchase)
        tolerance = toleranceMilliseconds
    }

    /// Returns whether, by Apple's design, the notification has no counterpart.
    func isExpected(_ unmatched: TwinNotification) -> Bool {
        switch unmatched.trust {
        case .signed: return Version1Coverage.isSilent(about: unmatched, in: environment)
        case .sharedSecret:
            // The notification may concern a finished consumable, which is not in the receipt.
            let isAboutConsumables = [.refund, .consumptionRequest].contains(unmatched.event.type)
            if isAboutConsumables, unmatched.event.transactionId == nil { return true }
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
