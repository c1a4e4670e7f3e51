internal import AppStoreModel

/// Part of check 14: a type that is about a purchase says which. Apple's documentation lists the nested objects by type;
/// those that it leaves open, and unknown types, need none.
enum NestedPresenceCheck {
    private static let aboutSubscription: Set<NotificationType> = [
        .subscribed, .didRenew, .didFailToRenew, .gracePeriodExpired, .expired, .didChangeRenewalStatus,
        .didChangeRenewalPref, .offerRedeemed, .priceIncrease, .renewalExtended,
    ]
    private static let aboutPurchase: Set<NotificationType> = [
        .refund, .refundReversed, .refundDeclined, .consumptionRequest, .revoke, .oneTimeCharge,
    ]

    static func check(_ envelope: NotificationEnvelope, type: NotificationType) throws(Rejection) {
        switch envelope.containers.first {
        case .data:
            let isSubscription = aboutSubscription.contains(type)
            if isSubscription || aboutPurchase.contains(type), envelope.signedTransactionInfo.isAbsent {
                throw .nonconforming(.profileNested, detail: "signedTransactionInfo is absent")
            }
            if isSubscription, envelope.signedRenewalInfo.isAbsent {
                throw .nonconforming(.profileNested, detail: "signedRenewalInfo is absent")
            }
        case .appData:
            guard !envelope.signedAppTransactionInfo.isAbsent else {
                throw .nonconforming(.profileNested, detail: "signedAppTransactionInfo is absent")
            }
        case .summary, .externalPurchaseToken, nil: return
        }
    }
}
