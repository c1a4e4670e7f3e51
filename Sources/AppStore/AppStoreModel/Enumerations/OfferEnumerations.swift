/// The kind of offer (Apple: offerType).
public struct OfferType: OpenEnumeration {
    public var rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let introductory = OfferType(1)
    public static let promotional = OfferType(2)
    public static let offerCode = OfferType(3)
    public static let winBack = OfferType(4)

    public static let known: Set<OfferType> = [
        .introductory, .promotional, .offerCode, .winBack,
    ]
}

/// The payment mode of an offer (Apple: offerDiscountType).
public struct OfferDiscountType: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let freeTrial = OfferDiscountType("FREE_TRIAL")
    public static let payAsYouGo = OfferDiscountType("PAY_AS_YOU_GO")
    public static let payUpFront = OfferDiscountType("PAY_UP_FRONT")
    /// A discount on a one-time purchase.
    public static let oneTime = OfferDiscountType("ONE_TIME")

    public static let known: Set<OfferDiscountType> = [
        .freeTrial, .payAsYouGo, .payUpFront, .oneTime,
    ]
}

/// The reason for refunding an item in an Advanced Commerce purchase.
public struct AdvancedCommerceRefundReason: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let unintendedPurchase = AdvancedCommerceRefundReason("UNINTENDED_PURCHASE")
    public static let fulfillmentIssue = AdvancedCommerceRefundReason("FULFILLMENT_ISSUE")
    public static let unsatisfiedWithPurchase = AdvancedCommerceRefundReason("UNSATISFIED_WITH_PURCHASE")
    public static let legal = AdvancedCommerceRefundReason("LEGAL")
    public static let other = AdvancedCommerceRefundReason("OTHER")
    public static let modifyItemsRefund = AdvancedCommerceRefundReason("MODIFY_ITEMS_REFUND")
    public static let simulateRefundDecline = AdvancedCommerceRefundReason("SIMULATE_REFUND_DECLINE")

    public static let known: Set<AdvancedCommerceRefundReason> = [
        .unintendedPurchase, .fulfillmentIssue, .unsatisfiedWithPurchase, .legal, .other, .modifyItemsRefund,
        .simulateRefundDecline,
    ]
}

/// Whether an item refund is full, prorated or custom.
public struct AdvancedCommerceRefundType: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let full = AdvancedCommerceRefundType("FULL")
    public static let prorated = AdvancedCommerceRefundType("PRORATED")
    public static let custom = AdvancedCommerceRefundType("CUSTOM")

    public static let known: Set<AdvancedCommerceRefundType> = [
        .full, .prorated, .custom,
    ]
}

/// The state of an item's price increase.
public struct AdvancedCommercePriceIncreaseStatus: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let scheduled = AdvancedCommercePriceIncreaseStatus("SCHEDULED")
    public static let pending = AdvancedCommercePriceIncreaseStatus("PENDING")
    public static let accepted = AdvancedCommercePriceIncreaseStatus("ACCEPTED")

    public static let known: Set<AdvancedCommercePriceIncreaseStatus> = [
        .scheduled, .pending, .accepted,
    ]
}

/// The reason for an offer on an item.
public struct AdvancedCommerceOfferReason: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let acquisition = AdvancedCommerceOfferReason("ACQUISITION")
    public static let winBack = AdvancedCommerceOfferReason("WIN_BACK")
    public static let retention = AdvancedCommerceOfferReason("RETENTION")

    public static let known: Set<AdvancedCommerceOfferReason> = [
        .acquisition, .winBack, .retention,
    ]
}

/// The length of a billing period, as an ISO 8601 duration.
public struct AdvancedCommercePeriod: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let p1w = AdvancedCommercePeriod("P1W")
    public static let p1m = AdvancedCommercePeriod("P1M")
    public static let p2m = AdvancedCommercePeriod("P2M")
    public static let p3m = AdvancedCommercePeriod("P3M")
    public static let p6m = AdvancedCommercePeriod("P6M")
    public static let p1y = AdvancedCommercePeriod("P1Y")

    public static let known: Set<AdvancedCommercePeriod> = [
        .p1w, .p1m, .p2m, .p3m, .p6m, .p1y,
    ]
}

/// The length of an offer, as an ISO 8601 duration.
public struct AdvancedCommerceOfferPeriod: OpenEnumeration {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let p3d = AdvancedCommerceOfferPeriod("P3D")
    public static let p1w = AdvancedCommerceOfferPeriod("P1W")
    public static let p2w = AdvancedCommerceOfferPeriod("P2W")
    public static let p1m = AdvancedCommerceOfferPeriod("P1M")
    public static let p2m = AdvancedCommerceOfferPeriod("P2M")
    public static let p3m = AdvancedCommerceOfferPeriod("P3M")
    public static let p6m = AdvancedCommerceOfferPeriod("P6M")
    public static let p9m = AdvancedCommerceOfferPeriod("P9M")
    public static let p1y = AdvancedCommerceOfferPeriod("P1Y")

    public static let known: Set<AdvancedCommerceOfferPeriod> = [
        .p3d, .p1w, .p2w, .p1m, .p2m, .p3m, .p6m, .p9m, .p1y,
    ]
}
